"""Signed uploads: the local twin of S3's presigned POST, of the same shape.

`POST /uploads` answers `{url, fields, doc_id}`; the client posts the fields and the file as
multipart/form-data to that URL. The policy says what may come and until when; a signature over it
keeps it from being changed. The key is made once for each data folder.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from typing import Any

from footnote.errors import Forbidden

VALID_S = 900.0


@dataclass(frozen=True, slots=True)
class Upload:
    """What was promised: this file, of at most `max_bytes`, into this collection, until `expires_at`."""

    doc_id: str
    file_name: str
    collection: str
    permission_groups: list[str]
    metadata: dict[str, Any] | None
    user_id: str
    max_bytes: int
    expires_at: float


def sign(upload: Upload, key: bytes) -> dict[str, str]:
    """The form fields that carry the promise."""
    policy = base64.b64encode(json.dumps(asdict(upload), ensure_ascii=False).encode()).decode()
    return {"key": f"uploads/{upload.doc_id}", "policy": policy, "x-amz-signature": _signature(policy, key)}


def verify(policy: str, signature: str, key: bytes, user_id: str, now: float) -> Upload:
    """The promise behind a form; Forbidden when it was changed, forged, has expired, or was made to somebody else."""
    if not hmac.compare_digest(_signature(policy, key).encode(), signature.encode()):
        raise Forbidden("The upload's signature does not fit. Ask `POST /uploads` for a new one.")
    try:
        values: dict[str, Any] = json.loads(base64.b64decode(policy, validate=True))
        upload = Upload(**values)
    except (binascii.Error, ValueError, TypeError) as exc:
        raise Forbidden("The upload's policy cannot be read.") from exc
    if upload.user_id != user_id:
        raise Forbidden("The upload is somebody else's. Ask `POST /uploads` for one of your own.")
    if upload.expires_at < now:
        raise Forbidden("The upload's time is over. Ask `POST /uploads` for a new one.")
    return upload


def _signature(policy: str, key: bytes) -> str:
    return hmac.new(key, policy.encode(), hashlib.sha256).hexdigest()
