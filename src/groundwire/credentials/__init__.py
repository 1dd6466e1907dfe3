"""Keys and sign-ins: where they are found, how they stay fresh, and that they never print."""
