"""Document → index."""
