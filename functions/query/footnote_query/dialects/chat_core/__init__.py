"""`/v2`: conversations streamed as server-sent events."""
