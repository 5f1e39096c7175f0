"""What is asked? Detects the language and rewrites the question."""
