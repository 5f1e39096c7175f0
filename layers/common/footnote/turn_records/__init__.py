"""How is a turn stored? Converts turns to `types.TurnRecord` and back, and reads records."""
