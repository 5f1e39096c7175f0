"""Which tools a model may use."""

ORGANISATION = "GO_RAG"
"""Whose tools, where a request names nobody's."""
