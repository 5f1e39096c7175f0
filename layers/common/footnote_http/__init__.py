"""What every HTTP door has in common: one app factory, problem+json, identity, health, SSE framing."""
