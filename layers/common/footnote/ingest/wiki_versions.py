"""What becomes a document of a wiki's page, with which metadata, and the version that tells whether it changed.

A page's own version does not change with its labels, its readers, or the title of the page that a file is attached to. So the
version of a document's origin also holds a digest of these: two are equal only if nothing has to be done.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from footnote.errors import UnreadableFile
from footnote.ports import Attachment, PageFacts

WITHOUT_TEXT = ("image/", "audio/", "video/", "application/vnd.jgraph.mxfile", "application/gliffy")
"""Media types of attachments that are left out: pictures, recordings and the sources of diagrams."""


def has_text(attachment: Attachment) -> bool:
    """Whether it becomes a document."""
    return not attachment.media_type.startswith(WITHOUT_TEXT)


def facts_of(page: PageFacts) -> dict[str, Any]:
    """Metadata of a page's document."""
    return {"url": page.url, "space": page.space, "kind": page.kind, "labels": list(page.labels)}


def attached_facts(page: PageFacts) -> dict[str, Any]:
    """Metadata of the documents of a page's attachments."""
    return {**facts_of(page), "page_title": page.title}


def page_version(page: PageFacts, readers: Collection[str]) -> str:
    """The version of a page's document for these readers."""
    return _version(page.version, {**facts_of(page), "title": page.title}, readers)


def attachment_version(page: PageFacts, attachment: Attachment, readers: Collection[str]) -> str:
    """The version of an attachment's document for these readers."""
    return _version(attachment.version, {**attached_facts(page), "file_name": attachment.file_name}, readers)


def refused_version(refused: UnreadableFile) -> str:
    """The version of the document that says why a page has no readers here."""
    return f"refused-{_digest([refused.reason, refused.remedy])}"


def _version(number: int, facts: Mapping[str, Any], readers: Collection[str]) -> str:
    return f"{number}-{_digest([facts, sorted(readers)])}"


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
