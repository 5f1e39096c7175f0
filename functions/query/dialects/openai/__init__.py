"""`/v1`: for every client that speaks OpenAI's API."""
