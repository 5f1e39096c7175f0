"""Ranking: selects the best evidence."""
