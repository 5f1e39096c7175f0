"""The stats function: usage, cost and outcomes of turns."""
