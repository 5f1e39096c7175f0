"""Language models and embeddings at any endpoint with OpenAI's API."""
