await Promise.reject(null);
