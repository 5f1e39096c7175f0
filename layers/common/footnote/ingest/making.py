"""Makes the passages of a parsed file, as its collection wants them, and notes the words of one that cannot be used."""

from __future__ import annotations

import logging

from footnote.errors import FootnoteError, UnreadableFile
from footnote.ingest.aids import Helpers, find_aids
from footnote.ingest.apart import Apart
from footnote.ingest.chunk import NO_AIDS
from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.prepare import Prepared, prepare, words_of
from footnote.ledger import Lifecycle
from footnote.types import CollectionSettings, Document, Parsed

log = logging.getLogger(__name__)


async def make(
    document: Document, parsed: Parsed, fixed: FixedSize | None, settings: CollectionSettings, max_tokens: int, helpers: Helpers
) -> tuple[Prepared, Parsed]:
    """(the document ready for the index, the file with a note if its collection's chunker cannot be used). UnreadableFile for one without
    text."""
    aids = NO_AIDS
    if fixed is None:
        aids, parsed = await find_aids(document, parsed, settings, max_tokens, helpers)
    ready = await helpers.apart(document.size, prepare, document, parsed, max_tokens, fixed, aids, helpers.written, settings)
    if not ready.chunks:
        raise UnreadableFile(
            "The file contains no text.", "If it shows text on the screen, run text recognition (OCR) on it and add it again."
        )
    return ready, parsed


async def note_words(lifecycle: Lifecycle, apart: Apart, document: Document, parsed: Parsed) -> None:
    """Notes the words of a file that could be read but not be used, so that a question finds out."""
    try:
        words = await apart(document.size, words_of, parsed)
        await lifecycle.update(document.doc_id, document.generation, words=words)
    except (FootnoteError, RuntimeError) as exc:
        log.warning("words not noted", extra={"doc_id": document.doc_id, "reason": type(exc).__name__})
