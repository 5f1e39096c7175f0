"""Requests to other HTTP services, and the guard that they go through."""
