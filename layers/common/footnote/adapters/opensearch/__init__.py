"""OpenSearch: the index."""
