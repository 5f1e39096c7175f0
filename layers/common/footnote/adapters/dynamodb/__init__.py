"""DynamoDB: the ledger and the cache."""
