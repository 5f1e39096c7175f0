"""What is in a text? Language, tokens, sentences, and whether a claim stands in it.

Used by every room and by the index adapters, so that all engines see the same words.
"""
