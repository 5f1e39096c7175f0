"""Signed uploads on one machine, equivalent to S3's presigned POST.

`POST /uploads` returns `{url, fields, doc_id}`; the client posts the fields and the file to that URL as multipart/form-data.
The policy defines what may be uploaded and until when, and is signed. The key is created once per data folder.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from footnote.errors import Forbidden
from footnote.types import ATTACHED

VALID_S = 900.0


@dataclass(frozen=True, slots=True)
class Upload:
    """The permission to upload a file of at most `max_bytes` into a collection until `expires_at`."""

    doc_id: str
    file_name: str
    collection: str
    permission_groups: list[str]
    metadata: dict[str, Any] | None
    user_id: str
    max_bytes: int
    expires_at: float


def sign(upload: Upload, key: bytes) -> dict[str, str]:
    """The form fields with the signed permission."""
    policy = base64.b64encode(json.dumps(asdict(upload), ensure_ascii=False).encode()).decode()
    return {"key": f"uploads/{upload.doc_id}", "policy": policy, "x-amz-signature": _signature(policy, key)}


def verify(policy: str, signature: str, key: bytes, user_id: str, now: float) -> Upload:
    """The permission in a form. Forbidden if it was changed, has expired, or belongs to another user."""
    if not hmac.compare_digest(_signature(policy, key).encode(), signature.encode()):
        raise Forbidden("The upload form's signature is invalid. Request a new form with `POST /uploads`.")
    try:
        values: dict[str, Any] = json.loads(base64.b64decode(policy, validate=True))
        upload = Upload(**values)
    except (binascii.Error, ValueError, TypeError) as exc:
        raise Forbidden("The upload form's policy cannot be read. Request a new form with `POST /uploads`.") from exc
    if upload.user_id != user_id:
        raise Forbidden("The upload form belongs to another user. Request your own with `POST /uploads`.")
    if upload.expires_at < now:
        raise Forbidden("The upload form has expired. Request a new one with `POST /uploads`.")
    return replace(upload, collection=ATTACHED) if upload.collection == ATTACHED else upload  # JSON keeps no StoredName


def _signature(policy: str, key: bytes) -> str:
    return hmac.new(key, policy.encode(), hashlib.sha256).hexdigest()
