"""Footnote on one machine: the server, the worker and the command line."""
