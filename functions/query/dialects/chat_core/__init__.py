"""`/v2`: conversations as server-sent events."""
