"""Confluence Data Center, by its REST API."""
