"""How is a turn stored? `types.TurnRecord` made of a turn, read, counted, and made a turn again."""
