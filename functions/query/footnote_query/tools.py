"""The tools that a model may use."""

ORGANISATION = "GO_RAG"
"""The organisation whose tools are used if a request names none."""
