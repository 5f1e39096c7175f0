"""`/voc`: what customers say. Voices are found by meaning, counted and grouped into themes, as far as the caller may read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Depends, Query
from pydantic import BaseModel, Field

from footnote.errors import BadRequest
from footnote.types import Caller, Chunk, Profile, Request
from footnote.types.voices import VOICE
from footnote.voices.counts import By
from footnote.voices.service import Source
from footnote.voices.themes import Theme
from footnote.voices.voice import Voice, VoiceFilter, voice_of
from footnote_http.callers import AskerOf, CoreOf, TraceId
from footnote_http.openapi import problems
from footnote_http.routes import Router
from footnote_query.retrieval import find_hits

if TYPE_CHECKING:
    from footnote.bootstrap import Core

PROFILE = Profile("voc", live=False, citation_style="numbered", prompt="answer_numbered")
MOST_FOUND = 200
"""Voices that a search ranks."""
FIRST, LAST = date(2000, 1, 1), date(2999, 12, 31)
router = Router("Voices", responses=problems({403: "`source` is `product`, and the caller is not an admin"}))

Name = Annotated[str, Field(max_length=200)]
Rating = Annotated[float, Field(ge=0, le=5)]
Day = Annotated[date, Field(ge=FIRST, le=LAST)]


class VocSearch(BaseModel):
    """A search of voices."""

    query: str = Field("", max_length=2000, description="What the voices should be about; “” = all of them, the newest first.")
    collection: str = Field("", max_length=64, description="“” = the first collection of voices that the caller may read.")
    source: Source = Field("collection", description="product = ratings of answers and unanswered questions, for admins.")
    channel: list[Name] = Field([], max_length=50)
    product: list[Name] = Field([], max_length=50)
    rating_from: Rating | None = Field(None, description="1 to 5. Voices without a rating are in no range.")
    rating_to: Rating | None = None
    first: Day | None = Field(None, alias="from", description="First day, UTC. Voices without a date are in no period.")
    last: Day | None = Field(None, alias="to", description="Last day, UTC.")
    limit: int = Field(20, ge=1, le=100)
    after: str | None = Field(None, max_length=300, description="`last_id` of the page before.")


class VoiceBody(BaseModel):
    """A voice: a ticket, a review, a mail. What is not known is null."""

    id: str = Field(description="The id of its passage, `DOC#003`; for the product's own voices one of theirs.")
    doc_id: str | None
    title: str = Field(description="Of the file that it is in.")
    number: int | None = Field(description="Its row, record or mail in the file, from 1.")
    text: str
    lang: str
    date: str | None = Field(description="ISO 8601, UTC.")
    channel: str | None
    product: str | None
    rating: float | None
    customer: str | None
    ticket: str | None
    score: float | None = Field(None, description="How well it fits the query.")


class VoicePage(BaseModel):
    """A page of voices."""

    collection: str
    source: Source
    data: list[VoiceBody]
    has_more: bool
    last_id: str | None
    vectors_pending: bool = Field(
        False, description="Of the product's own voices, some have no vector yet: only their words decided their rank."
    )


class CountBody(BaseModel):
    """Voices with one key."""

    key: str | None = Field(
        description="The first day of a period, a channel, a product, a rating or a theme; null = not known, or in none."
    )
    voices: int
    rating: float | None = Field(description="The mean rating.")


class VoiceCounts(BaseModel):
    """Counts of voices."""

    collection: str
    source: Source
    by: By
    data: list[CountBody]
    voices: int
    cut: bool = Field(description="The collection has more voices than are counted: the first 20,000 passages were read, file by file.")


class ThemeBody(BaseModel):
    """Voices that speak of the same."""

    id: str
    label: str
    words: list[str] = Field(description="Its distinctive words, the first of which are the label.")
    voices: int
    share: float = Field(description="Of all chosen voices.")
    rating: float | None = Field(description="The mean rating.")
    now: int = Field(description="Its voices in the chosen period; without `from`, in its last 30 days.")
    before: int | None = Field(description="Its voices in the period of the same length before; null = no voice has a date.")
    examples: list[VoiceBody]


class ThemeList(BaseModel):
    """The themes of voices, the largest first."""

    collection: str
    source: Source
    by: Literal["vectors", "words", "both"] = Field(description="What voices were compared by.")
    data: list[ThemeBody]
    voices: int
    rest: int = Field(description="Voices in none of all themes.")
    cut: bool = Field(description="As for counts.")


CollectionOf = Annotated[str, Query(max_length=64, description="Default: the first collection of voices that the caller may read.")]
SourceOf = Annotated[Source, Query(description="product = ratings of answers and unanswered questions, for admins.")]
Names = Annotated[list[str] | None, Query(max_length=50)]
RatingOf = Annotated[float | None, Query(ge=0, le=5)]
From = Annotated[date | None, Query(alias="from", ge=FIRST, le=LAST, description="First day, UTC.")]
To = Annotated[date | None, Query(alias="to", ge=FIRST, le=LAST, description="Last day, UTC.")]


def _filter(
    channel: Names = None,
    product: Names = None,
    rating_from: RatingOf = None,
    rating_to: RatingOf = None,
    first: From = None,
    last: To = None,
) -> VoiceFilter:
    if first and last and first > last:
        raise BadRequest("`from` is after `to`.")
    if rating_from is not None and rating_to is not None and rating_from > rating_to:
        raise BadRequest("`rating_from` is above `rating_to`.")
    return VoiceFilter(tuple(channel or ()), tuple(product or ()), rating_from, rating_to, first, last)


FilterOf = Annotated[VoiceFilter, Depends(_filter)]


@router.post("/voc/search", name="search_voices")
async def search(asked: VocSearch, caller: AskerOf, core: CoreOf, trace_id: TraceId) -> VoicePage:
    """Finds voices by meaning and by what is known of them."""
    wanted = _filter(asked.channel, asked.product, asked.rating_from, asked.rating_to, asked.first, asked.last)
    collection = await _collection(core, caller, asked.collection)
    query, pending = asked.query.strip(), False
    ranked: Sequence[tuple[Voice, float | None]]
    if query and asked.source == "collection":
        ranked = await _find(core, caller, query, collection, wanted, trace_id)
    else:
        read = await core.voices.read(caller, asked.source, collection, wanted)
        chosen = [voice for voice in read.voices if wanted.is_met_by(voice)]
        if query:
            found = await core.rank_voices(query, chosen, embeds=asked.after is None)  # later pages keep the ranks of the first
            ranked, pending = found.voices, found.vectors_pending
        else:
            ranked = [(voice, None) for voice in _newest(chosen)]
    ids = [_id(voice) for voice, _ in ranked]
    start = ids.index(asked.after) + 1 if asked.after in ids else 0 if asked.after is None else len(ids)
    page = ranked[start : start + asked.limit]
    scores = {voice.voice_id: score for voice, score in page}
    shown = await core.voices.read_again(caller, [voice for voice, _ in page])
    data = [_body(voice, scores[voice.voice_id]) for voice in shown]
    last_id = ids[start + len(page) - 1] if page else None
    has_more = start + len(page) < len(ids)
    return VoicePage(collection=collection, source=asked.source, data=data, has_more=has_more, last_id=last_id, vectors_pending=pending)


@router.get("/voc/counts", name="count_voices")
async def counts(
    caller: AskerOf,
    core: CoreOf,
    wanted: FilterOf,
    by: By = "month",
    collection: CollectionOf = "",
    source: SourceOf = "collection",
) -> VoiceCounts:
    """Counts voices over time, or by channel, product, rating or theme."""
    name = await _collection(core, caller, collection)
    rows, total, cut = await core.voices.count(caller, source, name, wanted, by)
    data = [CountBody(key=row.key, voices=row.voices, rating=row.rating) for row in rows]
    return VoiceCounts(collection=name, source=source, by=by, data=data, voices=total, cut=cut)


@router.get("/voc/themes", name="list_themes")
async def themes(
    caller: AskerOf,
    core: CoreOf,
    wanted: FilterOf,
    collection: CollectionOf = "",
    source: SourceOf = "collection",
    limit: Annotated[int, Query(ge=1, le=40)] = 12,
) -> ThemeList:
    """Groups voices that speak of the same, with distinctive words, the trend against the period before, and examples."""
    name = await _collection(core, caller, collection)
    found, read = await core.voices.themes(caller, source, name, wanted)
    shown = found.themes[:limit]
    known = {voice.voice_id: voice for voice in read.voices}
    examples = [known[each] for theme in shown for each in theme.examples if each in known]
    readable = {voice.voice_id: voice for voice in await core.voices.read_again(caller, examples)}
    data = [_theme(theme, readable, found.voices) for theme in shown]
    return ThemeList(collection=name, source=source, by=found.by, data=data, voices=found.voices, rest=found.rest, cut=read.cut)


async def _find(
    core: Core, caller: Caller, query: str, collection: str, wanted: VoiceFilter, trace_id: str
) -> list[tuple[Voice, float | None]]:
    """The voices that fit best. Passes the checks of a question; Rejected as in `find_hits`."""
    asked = Request(query, collection, limit=MOST_FOUND, conditions=wanted.conditions(), options={"drop_duplicates": False, "mmr": False})
    turn = await find_hits(core.new_turn(asked, caller, PROFILE, trace_id=trace_id), core)
    found: dict[tuple[str, int], tuple[Voice, float | None]] = {}
    for hit in turn.evidence.hits:
        chunk: Chunk = hit.chunk
        if VOICE in chunk.metadata:  # of a long voice, its best passage
            found.setdefault((chunk.doc_id, chunk.metadata[VOICE]), (voice_of(chunk), round(hit.score, 4)))
    return list(found.values())


async def _collection(core: Core, caller: Caller, name: str) -> str:
    if name:
        return name
    return next(iter(await core.voices.collections(caller)), core.settings.index_name)


def _newest(voices: Sequence[Voice]) -> list[Voice]:
    return sorted(voices, key=lambda voice: (voice.at is None, -(voice.at or 0.0), voice.voice_id))


def _id(voice: Voice) -> str:
    return voice.chunk.public_id if voice.chunk else voice.voice_id


def _theme(theme: Theme, readable: dict[str, Voice], total: int) -> ThemeBody:
    return ThemeBody(
        id=theme.theme_id,
        label=theme.label,
        words=list(theme.words),
        voices=theme.size,
        share=round(theme.size / total, 4) if total else 0.0,
        rating=theme.rating,
        now=theme.now,
        before=theme.before,
        examples=[_body(readable[each]) for each in theme.examples if each in readable],
    )


def _body(voice: Voice, score: float | None = None) -> VoiceBody:
    chunk = voice.chunk
    return VoiceBody(
        id=_id(voice),
        doc_id=chunk.doc_id if chunk else None,
        title=chunk.title if chunk else "",
        number=chunk.metadata.get(VOICE) if chunk else None,
        text=voice.text,
        lang=voice.lang,
        date=None if voice.at is None else datetime.fromtimestamp(voice.at, UTC).isoformat(timespec="seconds"),
        channel=voice.channel,
        product=voice.product,
        rating=voice.rating,
        customer=voice.customer,
        ticket=voice.ticket,
        score=score,
    )
