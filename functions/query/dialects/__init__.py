"""One API each: its request models, its reply, its profile."""
