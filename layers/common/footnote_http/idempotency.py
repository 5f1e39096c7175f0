"""`Idempotency-Key`: a request that is sent again with the same key is answered once."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import Header
from pydantic import BaseModel

from footnote.ports import RequestKey
from footnote.types import Turn

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]+$",
        description="Sent again with the same key and body within 24 hours, the request gets the stored reply, or goes on where"
        " it was cut off: no finished call of a language model is paid twice.",
    ),
]


def request_key(key: str | None, turn: Turn, route: str, body: BaseModel) -> RequestKey | None:
    """None: nothing is kept of the request, because it has no key or is a test."""
    if key is None or turn.request.is_test:
        return None
    sent = hashlib.sha256(f"{route}\n{body.model_dump_json()}".encode("utf-8", "surrogatepass")).hexdigest()
    return RequestKey(turn.caller.user_id, key, sent)
