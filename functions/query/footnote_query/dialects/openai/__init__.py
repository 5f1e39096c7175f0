"""`/v1`: an API compatible with OpenAI's."""
