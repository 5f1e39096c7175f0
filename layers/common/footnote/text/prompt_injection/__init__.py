"""Detects prompt injection without a model, in English, German and Korean: in questions (`score`) and in documents (`passages`)."""
