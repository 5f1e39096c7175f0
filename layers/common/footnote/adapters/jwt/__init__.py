"""Tokens of identity providers."""
