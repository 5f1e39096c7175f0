"""Reads the statistics that a request wants; of documents, which answer most, and which never."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from footnote.errors import BadRequest, Forbidden, NotFound
from footnote.learn.rollups import read_tallies
from footnote.learn.stats import Group, cited_documents, figures_of, roll_up
from footnote.learn.unanswered import unanswered_questions
from footnote.text.pii import mask_pii
from footnote.turn_records.days import begin_of, day_of, end_of
from footnote.turn_records.tallies import tallies_of
from footnote.types import Caller, Document, GroupBy, Tally
from footnote_stats.bodies import Citations, DocumentGroup, StatsBody

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.ports import Ledger

PEOPLE = ("user", "room")
DEFAULT_DAYS = 30
MOST_DAYS_BY_HOUR = 7
FIRST = date(2000, 1, 1)
MOST = 100
"""Documents of each kind."""
LOOKED_AT = 5_000
"""Documents among which those that are never cited are looked for, the newest."""
PAGE = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """A period (days, both included), what to group by, and the name of the only collection, None = all."""

    first: date
    last: date
    by: GroupBy
    collection: str | None = None


def make_wanted(first: date | None, last: date | None, by: GroupBy, collection: str | None, now: float) -> Wanted:
    """What is wanted, by default of the DEFAULT_DAYS days to today. BadRequest for a period that is not possible."""
    if any(day < FIRST for day in (first, last) if day is not None):
        raise BadRequest(f"Choose days from {FIRST} on.")
    last = last or date.fromisoformat(day_of(now))
    first = first or max(FIRST, last - timedelta(days=DEFAULT_DAYS - 1))
    if first > last:
        raise BadRequest("`from` is after `to`.")
    if by == "hour" and (last - first).days >= MOST_DAYS_BY_HOUR:
        raise BadRequest(f"By hour, a period has at most {MOST_DAYS_BY_HOUR} days. Choose a shorter one, or `by=day`.")
    return Wanted(first, last, by, collection)


async def read_stats(core: Core, caller: Caller, wanted: Wanted) -> StatsBody:
    """The statistics of everybody's turns for an admin, else of the caller's own. Forbidden: questions and documents for others
    than admins."""
    if wanted.by in ("question", "document") and caller.role != "admin":
        raise Forbidden("This requires the admin role.")
    name = await _namer(core, caller)
    first, last = wanted.first.isoformat(), wanted.last.isoformat()
    found = await read_tallies(caller, first, last, statistics=core.statistics, people=wanted.by in PEOPLE, hours=wanted.by == "hour")
    tallies = [replace(tally, collection=name(tally.collection)) for tally in found]
    only = None if wanted.collection is None else name(wanted.collection)
    if only is not None:
        tallies = [tally for tally in tallies if tally.collection == only]
    prices = core.settings.llm
    groups: Sequence[Group | DocumentGroup]
    if wanted.by == "question":
        groups = await _questions(core, caller, begin_of(first), end_of(last), only, name)
    elif wanted.by == "document":
        groups = await _documents(core, caller, tallies, only)
    else:
        groups = roll_up(tallies, wanted.by, prices)
    return StatsBody(first=wanted.first, last=wanted.last, by=wanted.by, data=list(groups), total=figures_of(tallies, prices))


async def _namer(core: Core, caller: Caller) -> Callable[[str], str]:
    """The current name of a collection by the one that was asked for: for admins only, as others may not see it any more."""
    if caller.role != "admin":
        return str
    directory = await core.collections.directory()
    return lambda asked: directory.name_of(directory.resolve(asked))


async def _questions(core: Core, caller: Caller, since: float, until: float, only: str | None, name: Callable[[str], str]) -> list[Group]:
    found = await unanswered_questions(
        caller, since, until, statistics=core.statistics, ledger=core.ledger, wanted=lambda turn: only in (None, name(turn.collection))
    )
    return [
        Group(
            {"question": mask_pii(each.question), "lang": each.lang, "outcome": each.turns[0].outcome},
            figures_of(tallies_of(each.turns), core.settings.llm),
        )
        for each in found
    ]


async def _documents(core: Core, caller: Caller, tallies: Sequence[Tally], only: str | None) -> list[DocumentGroup]:
    return [
        DocumentGroup(
            key={"document": each.document.doc_id, "title": each.document.title, "collection": each.document.collection},
            figures=Citations(turns=each.turns, feedback_up=each.feedback_up, feedback_down=each.feedback_down),
        )
        for each in await cited_and_not(caller, cited_documents(tallies), only, ledger=core.ledger)
    ]


@dataclass(frozen=True, slots=True)
class Cited:
    """A document, the number of turns that cite it, and the feedback on these."""

    document: Document
    turns: int
    feedback_up: int
    feedback_down: int


async def cited_and_not(
    caller: Caller, cited: Mapping[str, tuple[int, int, int]], collection: str | None, *, ledger: Ledger
) -> list[Cited]:
    """The documents that are cited most, then the newest READY ones that are not cited at all: only those that the caller may read."""
    found: list[Cited] = []
    for doc_id, counts in sorted(cited.items(), key=lambda item: (-item[1][0], item[0])):
        document = await _readable(caller, doc_id, ledger)
        if document is not None and collection in (None, document.collection):
            found.append(Cited(document, *counts))
        if len(found) == MOST:
            break
    return found + [Cited(document, 0, 0, 0) for document in await _never(caller, cited, collection, ledger)]


async def _readable(caller: Caller, doc_id: str, ledger: Ledger) -> Document | None:
    try:
        return await ledger.get(caller, doc_id)
    except NotFound:
        return None


async def _never(caller: Caller, cited: Mapping[str, object], collection: str | None, ledger: Ledger) -> list[Document]:
    found: list[Document] = []
    after, looked_at = None, 0
    while len(found) < MOST and looked_at < LOOKED_AT:
        page = await ledger.list(caller, collection=collection, limit=PAGE, after=after)
        found += [each for each in page.data if each.state == "READY" and each.doc_id not in cited]
        looked_at += len(page.data)
        after = page.last_id
        if not page.has_more:
            break
    return found[:MOST]
