return `Found: ${demo_text()}`;
