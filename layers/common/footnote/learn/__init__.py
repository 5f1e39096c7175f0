"""Feedback, statistics, suggested questions and golden sets."""
