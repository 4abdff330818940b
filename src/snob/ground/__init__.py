"""Files, bytes and git; this floor has never heard of what is built on it."""
