"""The golden set of a deployment: questions with the passages, facts or refusal that an answer must have.

A case contains no text of documents: of an expected passage it keeps the id, a digest of its text, and digests of its sentences. So a
passage is recognised when its document was cut differently, and a removed one is noticed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from footnote.errors import NotFound
from footnote.ports import Index, Ledger, Record, Records
from footnote.text.sentences import split_chunk
from footnote.types import Caller, Chunk, make_chunk_id

Expects = Literal["answer", "refusal"]
State = Literal["kept", "moved", "gone"]
"""Of an expected passage. kept: it is where it was; moved: its text, or at least SAME of its sentences, are in other passages of its
document; gone: they are not, or the document is deleted or not readable."""
SAME = 0.5
READ_AT_ONCE = 100
DIGITS = 16
"""Hexadecimal digits of a digest."""
PHRASE = 5
"""Words of a proposed answer that an answer can be expected to repeat as they are."""
FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
MOST_FACTS = 20


@dataclass(frozen=True, slots=True)
class ExpectedPassage:
    """A passage that must be found and cited. `chunk_id`: the public one, when the case was made; `digest`: of its text; `sentences`:
    digests of its sentences."""

    chunk_id: str
    doc_id: str
    digest: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """A question and its expected answer. `permission_groups`: of its user; `facts`: texts that the answer must contain; `documents`: ids
    of all documents that its texts may quote."""

    question: str
    collection: str
    expects: Expects = "answer"
    passages: tuple[ExpectedPassage, ...] = ()
    answer: str | None = None
    facts: tuple[str, ...] = ()
    permission_groups: tuple[str, ...] = ()
    note: str = ""
    trace_id: str | None = None
    documents: tuple[str, ...] = ()
    author: str = field(default="", compare=False)
    changed_at: float = field(default=0.0, compare=False)

    @property
    def case_id(self) -> str:
        """The same for the same question, collection and groups."""
        return _digest(json.dumps([self.collection, _plain(self.question), sorted(self.permission_groups)]))


@dataclass(frozen=True, slots=True)
class Located:
    """An expected passage as it is now. `chunk_ids`: public ids of the passages that contain its text."""

    passage: ExpectedPassage
    state: State
    chunk_ids: frozenset[str] = frozenset()


def expect(chunk: Chunk) -> ExpectedPassage:
    """The passage of a case."""
    return ExpectedPassage(chunk.public_id, chunk.doc_id, _digest(_plain(chunk.text)), _sentences(chunk))


async def locate(passages: Sequence[ExpectedPassage], caller: Caller, *, index: Index, ledger: Ledger) -> list[Located]:
    """The current state of the passages that the caller may read."""
    chunks = {
        doc_id: await read_passages(doc_id, caller, index=index, ledger=ledger) for doc_id in {passage.doc_id for passage in passages}
    }
    return [_locate(passage, chunks[passage.doc_id]) for passage in passages]


def _locate(passage: ExpectedPassage, chunks: Sequence[Chunk]) -> Located:
    same = frozenset(chunk.public_id for chunk in chunks if _digest(_plain(chunk.text)) == passage.digest)
    if same:
        return Located(passage, "kept" if passage.chunk_id in same else "moved", same)
    sentences = set(passage.sentences)
    shared = {chunk.public_id: sentences.intersection(_sentences(chunk)) for chunk in chunks}
    if not sentences or len(set().union(*shared.values())) < SAME * len(sentences):
        return Located(passage, "gone")
    return Located(passage, "moved", frozenset(chunk_id for chunk_id, common in shared.items() if common))


async def read_passages(doc_id: str, caller: Caller, *, index: Index, ledger: Ledger) -> list[Chunk]:
    """All passages of a document, in their order; none if the caller may not read it."""
    try:
        document = await ledger.get(caller, doc_id)
    except NotFound:
        return []
    chunks: list[Chunk] = []
    start = 0
    while True:
        ids = [make_chunk_id(document.doc_id, document.active_generation, start + at) for at in range(READ_AT_ONCE)]
        batch = await index.read(caller, ids)
        chunks += [chunk for chunk in batch if chunk.level == 2]
        if len(batch) < READ_AT_ONCE:
            return chunks
        start += READ_AT_ONCE


async def save_case(records: Records, case: GoldenCase, *, by: str) -> GoldenCase:
    """Stores the case, in place of an earlier one of the same id."""
    value = {name: field for name, field in asdict(case).items() if name not in ("author", "changed_at")}
    return load_case(await records.put("golden", case.case_id, value, by=by))


def load_case(record: Record) -> GoldenCase:
    """The case in a record."""
    value: dict[str, Any] = dict(record.value)
    passages = tuple(ExpectedPassage(**{**passage, "sentences": tuple(passage["sentences"])}) for passage in value.pop("passages"))
    value |= {name: tuple(value[name]) for name in ("facts", "permission_groups", "documents")}
    return GoldenCase(**value, passages=passages, author=record.changed_by, changed_at=record.changed_at)


def contains(text: str, fact: str) -> bool:
    """Whether the text contains the fact: the same words, regardless of case, spaces and punctuation. A number is not part of a longer
    one."""
    letters = _letters(fact)
    before = r"(?<!\d)(?<!\d[.,])" if letters[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if letters[-1:].isdigit() else ""
    return re.search(before + r"[\W_]*".join(map(re.escape, letters)) + after, text.casefold()) is not None


def facts_in(proposed: str) -> tuple[str, ...]:
    """The parts of a proposed answer that an answer can be checked for word for word: a short one as a whole, else its figures; maybe none.
    Masked text is not a fact."""
    phrase = proposed.strip().rstrip(".!?。").strip()
    if _letters(phrase) and len(phrase.split()) <= PHRASE and "[" not in phrase:
        return (phrase,)
    return tuple(dict.fromkeys(FIGURE.findall(proposed)))[:MOST_FACTS]


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _sentences(chunk: Chunk) -> tuple[str, ...]:
    letters = (_letters(chunk.text[start:end]) for start, end in split_chunk(chunk))
    return tuple(dict.fromkeys(map(_digest, filter(None, letters))))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:DIGITS]
