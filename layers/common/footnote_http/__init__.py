"""Shared by all HTTP APIs: the app factory, problem+json, authentication, health checks and SSE framing."""
