"""MongoDB: turns and records."""
