"""Links to conversations: who has the token of one reads its questions, and of its answers what their sources allow.

A link shares the turns that had begun when it was made. Their sources are checked at each opening, for the one who opens:

    every passage of the turn is readable      the answer as it was
    some are not, and the answer was quoted    the quoted sentences of the passages that are, read anew
    some are not, and a model wrote it         nothing: it has read all of them, and no sentence says which it is from

A passage counts as readable only in the version that the turn used: what a document said before was perhaps not for this reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from typing import Literal

from footnote.ports import Index, Share
from footnote.text.code_spans import followed_by
from footnote.turn_records.read import quoted_in
from footnote.types import EXTERNAL_IDS, Caller, Chunk, StoredHit, StoredReference, TurnRecord

TOKEN_BYTES = 32
ID_LENGTH = 16
Withheld = Literal["nothing", "part", "all"]


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
