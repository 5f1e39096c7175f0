"""Writes, cites and checks answers."""
