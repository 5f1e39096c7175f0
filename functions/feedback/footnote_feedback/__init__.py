"""The feedback function: ratings of answers."""
