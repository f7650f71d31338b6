throw { code: 7, list: [1, 2] };
