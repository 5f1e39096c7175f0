"""What adapters of several engines have in common. It imports no engine."""
