"""The end of attachments.

Where a conversation is deleted, or all data of a user, only records can be written: those of its attachments go, which hides the files
from everybody at once. The files are removed here, as if each was deleted. So are those whose conversation is past its time, and those
that were attached to a question that was never asked. Every stage can be repeated.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from footnote.collections.attachments import Attachment, key_of
from footnote.errors import NotFound
from footnote.ingest.ingestor import Ingestor
from footnote.ports import TurnStore, read_all
from footnote.types import ATTACHED, SYSTEM, Caller

log = logging.getLogger(__name__)

DRAFT_S = 24 * 3600.0
"""How long a file waits for the first question of its conversation, or for its arrival."""
AT_ONCE = 200


async def purge_attachments(ingestor: Ingestor, turns: TurnStore) -> int:
    """Removes attachments that have ended. → how many documents. Concurrent runs do no harm.

    Whatever fails is logged and left to the next run, so that it keeps no other work waiting."""
    try:
        return await _purge(ingestor, turns)
    except Exception as exc:
        log.warning("attachments cannot be looked for", exc_info=exc)
        return 0


async def _purge(ingestor: Ingestor, turns: TurnStore) -> int:
    # Before the records: a document that arrives meanwhile has one.
    documents = await read_all(lambda after: ingestor.ledger.list(SYSTEM, collection=ATTACHED, limit=AT_ONCE, after=after))
    attached = await ingestor.collections.attachments.all()
    ended = await _ended(ingestor, turns, attached, {document.doc_id for document in documents})
    for key in ended:
        await ingestor.collections.attachments.forget(key)
    kept = {each.key for each in attached} - ended
    gone = [document for document in documents if key_of(document) not in kept]
    for document in gone:
        try:
            await ingestor.purge(await ingestor.ledger.delete(SYSTEM, document.doc_id))
        except NotFound:  # another run was faster
            continue
        except Exception as exc:
            log.warning("an attachment was not purged", exc_info=exc, extra={"doc_id": document.doc_id})
    return len(gone)


async def _ended(ingestor: Ingestor, turns: TurnStore, attached: Iterable[Attachment], arrived: set[str]) -> set[str]:
    """The keys of attachments that are over: their conversation or their document is gone, or never came."""
    due = [each for each in attached if each.attached_at + DRAFT_S <= ingestor.clock()]
    rooms = {(each.user_id, each.room_id) for each in due}
    there = {room for room in rooms if await _is_there(turns, *room)}
    return {each.key for each in due if each.doc_id not in arrived or (each.user_id, each.room_id) not in there}


async def _is_there(turns: TurnStore, user_id: str, room_id: str) -> bool:
    try:
        await turns.room(Caller(user_id), room_id, 1)
    except NotFound:
        return False
    return True
