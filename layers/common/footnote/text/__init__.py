"""What is in a text?

Language, tokens, sentences, references, prompt injection, and whether a text supports a claim.

Used by all packages of the turn and by the index adapters, so that all engines see the same tokens.
"""
