"""What the record stores share."""

from __future__ import annotations

CHANGED = "This has changed in the meantime. Reload it."
"""Detail of the Conflict for a write that expected another version."""
LAST = "\U0010ffff"
"""Sorts after every character of a key: keys that begin with a prefix are below `prefix + LAST`."""
