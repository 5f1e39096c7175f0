"""SQLite: the stores of one machine."""
