"""Retrieval: finds candidate passages in the index and in other systems."""
