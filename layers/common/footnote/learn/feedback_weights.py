"""Weights that feedback gives to documents and to the fields of a passage, small factors on the order of passages.

A document is compared with the rest: do users rate answers that cite it better or worse than other answers? So is a field: do they rate
answers better whose cited passages have the question's terms in it? The mean of a user's ratings is one vote.

    rate     = mean of the n votes; of a field, weighted by the share of the matches that are in it
    evidence = n - LEAST_USERS + 1, of a field times the mean share; nothing is learned from fewer users
    delta    = evidence / (evidence + PRIOR) * (rate - rate of the answers that it is compared with)
    weight   = 1 + BOUND * clip(delta / FULL, -1, 1)

A weight is in 1 ± BOUND, and one user moves it by at most a fifth of BOUND.

Nobody's order depends on ratings of answers from documents that they may not read: a document's weight and its comparison are learned only
from turns whose documents are readable to everyone who may read this one; the weights of fields only from turns whose documents are
readable to everyone. Ratings of earlier versions do not count, nor those of deleted documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Literal, get_args

from footnote.ports import RatedTurn, Record
from footnote.text.tokens import content_terms
from footnote.turn_records.read import documents_of, question_of
from footnote.types import EVERYONE, EXTERNAL_IDS, Chunk, Document, StoredHit, StoredReference, TurnRecord

Field = Literal["title", "headings", "text"]
FIELDS: tuple[Field, ...] = get_args(Field)
BOUND = 0.1
"""The most by which feedback raises or lowers a passage's score, as a share of it."""
FULL = 0.5
"""The difference of rates, after shrinking, that gives the whole BOUND."""
LEAST_USERS = 5
PRIOR = 10
"""Users whose votes are worth as much as knowing nothing."""
MOST_DOCUMENTS = 1000
"""Documents of a collection that are weighted, those whose weights differ most from 1."""
NOT_THE_SOURCES = frozenset({"incomplete", "unclear"})
"""Reasons for a thumbs-down that do not concern the citations."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A weight, the number of users whose votes it is made from, and their positive rate, 0..1."""

    value: float
    users: int
    positive_rate: float


@dataclass(frozen=True, slots=True)
class DocumentWeight(Weight):
    """A document's weight. It applies to this generation, and while the document has these readers, sorted."""

    generation: int
    readers: tuple[str, ...]

    def holds_for(self, chunk: Chunk) -> bool:
        """Whether it is the weight of the passage's document as it is now."""
        return chunk.generation == self.generation and chunk.permission_groups == frozenset(self.readers)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a collection, documents by id. `reset_at`: feedback given up to then does not count."""

    documents: Mapping[str, DocumentWeight] = field(default_factory=dict)
    fields: Mapping[Field, Weight] = field(default_factory=dict)
    reset_at: float = 0.0

    def factor(self, chunk: Chunk, terms: frozenset[str], said: Iterable[str]) -> float:
        """The factor on the passage's score, 1 ± BOUND. `terms`: the content terms of the question; `said`: those of the passage's text."""
        weight = self.documents.get(chunk.doc_id)
        factor = weight.value if weight is not None and weight.holds_for(chunk) else 1.0
        if self.fields:
            shares = match_shares(terms, chunk.title, chunk.headings, said, chunk.lang)
            factor *= 1 + sum(share * (self.fields[name].value - 1) for name, share in shares.items() if name in self.fields)
        return max(1 - BOUND, min(1 + BOUND, factor))


@dataclass(frozen=True, slots=True)
class Vote:
    """A rating, and what of its turn is needed. `cited`: document → its generation, of the passages that the rating is about; `documents`:
    ids of all documents that the turn depends on; `shares`: as `match_shares`, the mean of those passages."""

    user_id: str
    is_positive: bool
    cited: Mapping[str, int]
    documents: tuple[str, ...]
    shares: Mapping[Field, float]


def match_shares(terms: frozenset[str], title: str, headings: Sequence[str], said: Iterable[str], lang: str) -> dict[Field, float]:
    """How the matches of the terms are divided among the fields of a passage: each field's share of the sum of matched terms. Empty if no
    field has any. `said`: the content terms of its text."""
    above = " ".join(heading for heading in headings if heading != title)
    fields = (content_terms(title, lang), content_terms(above, lang), said)
    counts = {name: len(terms.intersection(words)) for name, words in zip(FIELDS, fields, strict=True)}
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items() if count}


def vote_of(rated: RatedTurn) -> Vote | None:
    """The vote of a rating; None if the rating does not concern the citations. The text of a passage is its quoted part."""
    record, cited = rated.record, rated_citations(rated)
    if not cited:
        return None
    terms = frozenset(content_terms(asked_in(record), record["lang"]))
    matches = [
        match_shares(terms, hit["title"], hit["headings"], content_terms(reference["snippet"], record["lang"]), record["lang"])
        for reference, hit in cited
    ]
    matched = [shares for shares in matches if shares]
    return Vote(
        rated.feedback.user_id,
        rated.feedback.rating == "up",
        {hit["doc_id"]: int(hit["passage"].rsplit("|", 2)[1]) for _, hit in cited},
        documents_of(record),
        {name: sum(shares.get(name, 0.0) for shares in matched) / len(matched) for name in FIELDS} if matched else {},
    )


def rated_citations(rated: RatedTurn) -> list[tuple[StoredReference, StoredHit]]:
    """The citations that a rating concerns, each with its passage; none if it concerns none. A thumbs-up applies to the citations that its
    user selected, else to all; a thumbs-down to those not selected as useful."""
    record, given = rated.record, rated.feedback
    is_positive = given.rating == "up"
    if record["is_error"] or (not is_positive and given.usual_reason in NOT_THE_SOURCES):
        return []
    hits = {hit["chunk_id"]: hit for hit in record["hits"] if not hit["passage"].startswith(EXTERNAL_IDS)}
    cited = [(reference, hits[reference["chunk_id"]]) for reference in record["result"]["references"] if reference["chunk_id"] in hits]
    selected = [citation for citation in cited if {citation[0]["chunk_id"], citation[0]["doc_id"]}.intersection(given.selected_citations)]
    if not selected:
        return cited
    return selected if is_positive else [citation for citation in cited if citation not in selected]


def asked_in(record: TurnRecord) -> str:
    """The question of a stored turn, in a form that needs no conversation."""
    return " ".join(record["result"]["search_decision"]["rewritten_query"]) or question_of(record)


def all_may_read(readers: frozenset[str], doc_ids: Iterable[str], documents: Mapping[str, Document]) -> bool:
    """Whether everyone who may read documents with these groups may read all of these documents; False if one does not exist."""
    existing = [documents.get(doc_id) for doc_id in doc_ids]
    return all(
        document is not None and (EVERYONE in document.permission_groups or readers <= document.permission_groups) for document in existing
    )


def make_weights(votes: Sequence[Vote], documents: Mapping[str, Document], reset_at: float = 0.0) -> Weights:
    """The weights of a collection. `documents`: those of the votes that still exist."""

    def is_read_by(readers: frozenset[str], vote: Vote) -> bool:
        return all_may_read(readers, vote.documents, documents)

    @cache
    def rate_among(readers: frozenset[str]) -> float:
        rates = _rates(vote for vote in votes if is_read_by(readers, vote))
        return sum(rates.values()) / len(rates)

    about: dict[str, list[Vote]] = {}
    for vote in votes:
        for doc_id, generation in vote.cited.items():
            document = documents.get(doc_id)
            if document and document.active_generation == generation and is_read_by(document.permission_groups, vote):
                about.setdefault(doc_id, []).append(vote)
    weighted: dict[str, DocumentWeight] = {}
    for doc_id, mine in about.items():
        document = documents[doc_id]
        rates = [(1.0, rate) for rate in _rates(mine).values()]
        if len(rates) >= LEAST_USERS and document.permission_groups:
            weight = estimate(rates, rate_among(document.permission_groups))
            readers = tuple(sorted(document.permission_groups))
            weighted[doc_id] = DocumentWeight(weight.value, weight.users, weight.positive_rate, document.active_generation, readers)
    kept = sorted(weighted, key=lambda doc_id: (-abs(weighted[doc_id].value - 1), doc_id))[:MOST_DOCUMENTS]
    public = [vote for vote in votes if vote.shares and is_read_by(frozenset({EVERYONE}), vote)]
    return Weights({doc_id: weighted[doc_id] for doc_id in sorted(kept)}, _weigh_fields(public), reset_at)


def _weigh_fields(votes: Sequence[Vote]) -> dict[Field, Weight]:
    of_user: dict[str, list[Vote]] = {}
    for vote in votes:
        of_user.setdefault(vote.user_id, []).append(vote)
    if len(of_user) < LEAST_USERS:
        return {}
    rates = _rates(votes)
    weights: dict[Field, Weight] = {}
    for name in FIELDS:
        strong = [
            (total / len(mine), sum(vote.shares.get(name, 0.0) for vote in mine if vote.is_positive) / total)
            for mine in of_user.values()
            if (total := sum(vote.shares.get(name, 0.0) for vote in mine)) > 0
        ]
        if len(strong) >= LEAST_USERS:
            weights[name] = estimate(strong, sum(rates.values()) / len(rates))
    return weights


def estimate(votes: Sequence[tuple[float, float]], compared_with: float) -> Weight:
    """The weight from (strength, rate) of each user, both 0..1: at least LEAST_USERS. `compared_with`: the rate of all answers."""
    total = sum(strength for strength, _ in votes)
    rate = sum(strength * rate for strength, rate in votes) / total
    evidence = total * (len(votes) - LEAST_USERS + 1) / len(votes)
    delta = evidence / (evidence + PRIOR) * (rate - compared_with)
    return Weight(round(1 + BOUND * max(-1.0, min(1.0, delta / FULL)), 4), len(votes), round(rate, 4))


def load_weights(record: Record | None, doc_ids: Collection[str] | None = None) -> Weights:
    """The weights in a record, of these documents, None = all; none in None."""
    if record is None:
        return Weights()
    value: Mapping[str, Any] = record.value
    documents = {
        doc_id: _load_document(values, value["readers"])
        for doc_id, values in value["documents"].items()
        if doc_ids is None or doc_id in doc_ids
    }
    return Weights(documents, {name: Weight(**values) for name, values in value["fields"].items()}, value["reset_at"])


def _load_document(values: Sequence[Any], readers: Sequence[Sequence[str]]) -> DocumentWeight:
    value, users, positive_rate, generation, place = values
    return DocumentWeight(value, users, positive_rate, generation, tuple(readers[place]))


def dump_weights(weights: Weights) -> dict[str, Any]:
    """The weights as JSON. Documents with the same readers share them, as a record is read with every question."""
    readers = sorted({weight.readers for weight in weights.documents.values()})
    place = {groups: number for number, groups in enumerate(readers)}
    documents = {
        doc_id: [weight.value, weight.users, weight.positive_rate, weight.generation, place[weight.readers]]
        for doc_id, weight in weights.documents.items()
    }
    fields = {name: asdict(weight) for name, weight in weights.fields.items()}
    return {"documents": documents, "readers": [list(groups) for groups in readers], "fields": fields, "reset_at": weights.reset_at}


def _rates(votes: Iterable[Vote]) -> dict[str, float]:
    """User → the share of their votes that are positive."""
    given: dict[str, list[bool]] = {}
    for vote in votes:
        given.setdefault(vote.user_id, []).append(vote.is_positive)
    return {user_id: sum(mine) / len(mine) for user_id, mine in given.items()}
