"""Links to conversations: who has the token of one reads its questions, and of its answers what their sources allow.

A link shares the turns that had begun when it was made. Their sources are checked at each opening, for the one who opens:

    every passage of the turn is readable      the answer as it was
    some are not, and the answer was quoted    the quoted sentences of the passages that are, read anew
    some are not, and a model wrote it         nothing: it has read all of them, and no sentence says which it is from

A passage counts as readable only in the version that the turn used: what a document said before was perhaps not for this reader.

Records: "share" `<digest>`, which opens the link, and "share" `<user_id>/<digest>`, which lists it, both with all its fields. A turn store
deletes them with the turns of their conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from secrets import token_urlsafe
from typing import Literal

from footnote.errors import NotFound
from footnote.ports import Index, Records, TurnStore, read_all
from footnote.text.code_spans import followed_by
from footnote.turn_records.read import quoted_in
from footnote.types import EXTERNAL_IDS, Caller, Chunk, StoredHit, StoredReference, TurnRecord

TOKEN_BYTES = 32
ID_LENGTH = 16
AT_ONCE = 200
"""Records that are read together."""
Withheld = Literal["nothing", "part", "all"]


@dataclass(frozen=True, slots=True)
class Share:
    """A link to a conversation. `share_id` names it to its owner; `digest`: the hash of the token that opens it, which is not stored.
    `room_id`: of `user_id`; the turns that began up to `created_at` are shared. `expires_at` None = until it is deleted."""

    share_id: str
    digest: str
    user_id: str
    room_id: str
    created_at: float
    expires_at: float | None = None

    @property
    def key(self) -> str:
        """The key of the record that lists it."""
        return f"{self.user_id}/{self.digest}"

    def is_valid(self, now: float) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or now < self.expires_at


@dataclass(frozen=True, slots=True)
class SharedAnswer:
    """What one reader sees of a stored turn beside its question. `text`: "" where all is withheld. `hits`: the cited passages, with
    `texts` by their ids in the index."""

    text: str
    references: Sequence[StoredReference] = ()
    hits: Sequence[StoredHit] = ()
    texts: Mapping[str, str] | None = None
    withheld: Withheld = "nothing"


NOTHING = SharedAnswer("", withheld="all")


def make_share(caller: Caller, room_id: str, now: float, valid_s: float | None) -> tuple[Share, str]:
    """A link to one of the caller's conversations, and the token that opens it. `valid_s` None = until it is deleted."""
    token = token_urlsafe(TOKEN_BYTES)
    digest = digest_of(token)
    return Share(digest[:ID_LENGTH], digest, caller.user_id, room_id, now, None if valid_s is None else now + valid_s), token


def digest_of(token: str) -> str:
    """The hash under which a token's link is stored."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


async def save_share(share: Share, *, records: Records, turns: TurnStore) -> None:
    """Stores a link, and deletes those of its user that have expired by then. NotFound where its user has no turns in the room.

    It is stored before the room is looked for, and a turn store deletes it with the turns of the room or after them: whichever of two
    simultaneous calls comes second finds what the other has left."""
    for old in await _shares_of(share.user_id, records):
        if not old.is_valid(share.created_at):
            await end_share(old, records=records)
    for key in (share.key, share.digest):
        await records.put("share", key, asdict(share), by=share.user_id)
    try:
        await turns.room(Caller(share.user_id), share.room_id, 1)
    except NotFound:
        await end_share(share, records=records)
        raise


async def valid_shares(caller: Caller, *, records: Records, now: float) -> list[Share]:
    """The caller's own links that have not expired, the newest first."""
    shares = [share for share in await _shares_of(caller.user_id, records) if share.is_valid(now)]
    return sorted(shares, key=lambda share: (-share.created_at, share.share_id))


async def find_share(token: str, *, records: Records, now: float) -> Share | None:
    """The link that a token opens, for whoever has it; None for one that was deleted or has expired."""
    record = await records.get("share", digest_of(token))
    share = None if record is None else Share(**record.value)
    return share if share is not None and share.is_valid(now) else None


async def end_share(share: Share, *, records: Records) -> None:
    """Deletes a link."""
    for key in (share.digest, share.key):
        await records.delete("share", key)


async def _shares_of(user_id: str, records: Records) -> list[Share]:
    found = await read_all(lambda after: records.list("share", prefix=f"{user_id}/", limit=AT_ONCE, after=after))
    shares = (Share(**each.value) for each in found)
    return [share for share in shares if share.user_id == user_id]  # another user's id may begin with this one and a slash


async def read_shared(records: Sequence[TurnRecord], reader: Caller, *, index: Index) -> list[SharedAnswer]:
    """The answers of these turns as the reader may see them, in the same order."""
    asked = dict.fromkeys(each["passage"] for record in records for each in quoted_in(record))
    found = await index.read(reader, [passage for passage in asked if not passage.startswith(EXTERNAL_IDS)])
    chunks = {chunk.chunk_id: chunk for chunk in found}
    return [_shown(record, chunks) for record in records]


def _shown(record: TurnRecord, chunks: Mapping[str, Chunk]) -> SharedAnswer:
    if not _sources_are_known(record):
        return NOTHING
    if all(each["passage"] in chunks for each in quoted_in(record)):
        result = record["result"]
        cited = {reference["chunk_id"] for reference in result["references"]}
        hits = [hit for hit in record["hits"] if hit["chunk_id"] in cited]
        return SharedAnswer(result["final_response"], result["references"], hits, _texts(hits, chunks))
    return _quoted_again(record, chunks) if record["extractive"] else NOTHING


def _sources_are_known(record: TurnRecord) -> bool:
    """Whether `quoted_in` is everything that the answer may be from. A model may also have read what tools replied, what others said of
    similar answers, and a conversation that its client keeps, whose turns have no room."""
    if record["extractive"]:
        return True
    keeps_conversation = record["room_id"] != record["trace_id"]
    return keeps_conversation and not record["is_tool_block"] and not record.get("private", {}).get("feedback_hints")


def _quoted_again(record: TurnRecord, chunks: Mapping[str, Chunk]) -> SharedAnswer:
    """The cited sentences of the readable passages, in the order of the answer. They are cut from the passages as the reader may read
    them: the words between them may be from the others."""
    text, references, cited = "", [], []
    for reference in record["result"]["references"]:
        hits = [hit for hit in record["hits"] if hit["chunk_id"] == reference["chunk_id"]]
        if not hits or any(hit["passage"] not in chunks for hit in hits):
            continue
        passage = chunks[hits[0]["passage"]].text
        said = " ".join(dict.fromkeys(passage[start:end].strip() for start, end in reference["bounds"] if 0 <= start < end <= len(passage)))
        if not said:
            continue
        mark = f"[{reference['index']}]"
        text += f"{followed_by(said, mark)}\n\n"
        end = len(text) - 2
        references.append(reference | {"spans": [[end - len(mark), end]]})
        cited.append(hits[0])
    return SharedAnswer(text.rstrip(), references, cited, _texts(cited, chunks), "part") if references else NOTHING


def _texts(hits: Sequence[StoredHit], chunks: Mapping[str, Chunk]) -> dict[str, str]:
    return {hit["passage"]: chunks[hit["passage"]].text for hit in hits}
