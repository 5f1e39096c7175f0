"""Checkpoints of turns whose request has an `Idempotency-Key`.

A turn whose process died runs again from its first row when the request is repeated. Paid work is not repeated: each reply of a
language model, and the scores of a reranker, are stored under a digest of the request and replayed when the same request is made.
Search candidates are stored the same way, as chunk ids, so that a changed index leads to the same prompts. Their texts are read
again through the index's permission check; if a passage is gone, the request changes and what was stored is not used. Rows marked
`once` run once per request.
"""

from footnote.checkpoints.models import ReplayedModels, ReplayedReranker
from footnote.checkpoints.searches import ReplayedSearches
from footnote.checkpoints.turn_checkpoint import LEASE_S, TurnCheckpoint, release, resume, take_checkpoint

__all__ = ["LEASE_S", "ReplayedModels", "ReplayedReranker", "ReplayedSearches", "TurnCheckpoint", "release", "resume", "take_checkpoint"]
