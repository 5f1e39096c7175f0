"""Copies of documents with all that was made from them: read from one deployment, kept in an archive, written to another."""
