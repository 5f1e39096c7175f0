"""`/ask`, `/ask/stream` (citations as footnotes by document id) and `/retrieve-*` (hits in Elasticsearch's shape)."""
