"""Chooses the adapter of a source that `footnote sync` was given."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from footnote.adapters.aws.source import S3Source
from footnote.adapters.http.egress import Egress
from footnote.adapters.http.source import SitemapSource
from footnote.adapters.local.source import FolderSource
from footnote.adapters.local.source_zip import ZipSource
from footnote.errors import BadRequest
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.sync import Sync
from footnote.ingest.sync_state import Options
from footnote.ingest.wiki import NOT_CONFIGURED, WikiPages
from footnote.ingest.wiki_space import Space, SpaceSync
from footnote.ports import Source

SPACE = re.compile(r"~?[\w.-]{1,255}")
KINDS = "Give a folder, a ZIP file, s3://bucket/prefix, confluence:SPACE or a sitemap's URL."


def open_source(place: str, pages: WikiPages | None) -> Source | Space:
    """The source at a path or `file:` URL of a folder or a ZIP file, `s3://bucket/prefix`, `confluence:SPACE` or the address of a space,
    or the URL of a sitemap. BadRequest for others. `pages`: of the configured wiki. The address of a source leads to the same source."""
    key = place.removeprefix("confluence:") if place.startswith("confluence:") else None
    if key is None and pages is not None and place.startswith(f"{pages.base_url}/display/"):
        key = place.removeprefix(f"{pages.base_url}/display/")
    if key is not None:
        if pages is None:
            raise BadRequest(NOT_CONFIGURED)
        if not SPACE.fullmatch(key):
            raise BadRequest("Name a space by its key, as in its address: confluence:ENG.")
        return Space(key, pages)
    if place.startswith(("http://", "https://")):
        return SitemapSource(place, Egress())
    if place.startswith("s3://"):
        bucket, _, prefix = place.removeprefix("s3://").partition("/")
        if not bucket:
            raise BadRequest("Name a bucket: s3://bucket/prefix.")
        return S3Source(bucket, unquote(prefix))  # as its address quotes it
    if place.startswith("file://"):  # as the page shows a folder
        place = unquote(urlsplit(place).path, errors="surrogateescape")
    if "://" in place and not Path(place).exists():
        raise BadRequest(f"{urlsplit(place).scheme}:// is not a known kind of source. {KINDS}")
    path = Path(place).expanduser()
    return ZipSource(path) if path.suffix.lower() == ".zip" and not path.is_dir() else FolderSource(path)


def make_sync(source: Source | Space, ingestor: Ingestor, options: Options) -> Sync | SpaceSync:
    """A run over a source."""
    return SpaceSync(source, options) if isinstance(source, Space) else Sync(source, ingestor, options)
