"""`/ask`, `/ask/stream` and `/retrieve-*`: footnotes by document id, Elasticsearch-shaped hits."""
