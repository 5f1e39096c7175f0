"""Detects the language and rewrites the question."""
