"""What do turns teach? Feedback, statistics, suggested questions and golden sets."""
