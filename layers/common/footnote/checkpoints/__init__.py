"""Checkpoints of turns that were asked with an `Idempotency-Key`.

A turn whose process died runs again from its first row when it is asked again. What cost money does not happen twice: each
reply of a language model is kept under a digest of what the model was sent, and replayed where the same is sent again. The
candidates that searches found are kept the same way, as chunk ids, so that a grown index leads to the same prompts; their
texts are read again through the index's permission gate. A passage that is gone changes the prompt, which discards the reply that
was written from it. Rows marked `once` run once per request.
"""

from footnote.checkpoints.models import ReplayedModels
from footnote.checkpoints.rows import release, resume
from footnote.checkpoints.searches import ReplayedSearches
from footnote.checkpoints.turn_checkpoint import LEASE_S, TurnCheckpoint, take_checkpoint

__all__ = ["LEASE_S", "ReplayedModels", "ReplayedSearches", "TurnCheckpoint", "release", "resume", "take_checkpoint"]
