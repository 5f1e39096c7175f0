"""Wrappers around ports: retries, circuit breakers, fallbacks."""
