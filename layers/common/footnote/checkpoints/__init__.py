"""Checkpoints of turns whose request has an `Idempotency-Key`.

A turn whose process died runs again from its first row when the request is repeated. Paid work is not repeated: each reply of a
language model is stored under a digest of its request and replayed when the same request is made. Search candidates are
stored the same way, as chunk ids, so that a changed index leads to the same prompts. Their texts are read again through the
index's permission check; if a passage is gone, the prompt changes and the stored reply is not used. Rows marked `once` run once
per request.
"""

from footnote.checkpoints.models import ReplayedModels
from footnote.checkpoints.rows import release, resume
from footnote.checkpoints.searches import ReplayedSearches
from footnote.checkpoints.turn_checkpoint import LEASE_S, TurnCheckpoint, take_checkpoint

__all__ = ["LEASE_S", "ReplayedModels", "ReplayedSearches", "TurnCheckpoint", "release", "resume", "take_checkpoint"]
