"""What do we say? Writes, cites and checks answers."""
