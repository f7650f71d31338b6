await demo_liar();
