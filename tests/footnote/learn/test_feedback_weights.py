"""Feedback weights documents and fields: within bounds, by several users, and by nothing that a reader may not read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import NotFound
from footnote.learn.feedback_weights import (
    BOUND,
    LEAST_USERS,
    DocumentWeight,
    Vote,
    Weight,
    Weights,
    dump_weights,
    estimate,
    load_weights,
    make_weights,
    match_shares,
    vote_of,
)
from footnote.learn.weigh import learn_weights, reset_weights, weigh
from footnote.memory.scope import answer_scope
from footnote.ports import RatedTurn, View
from footnote.settings import LLM, Embedding, Rag, Settings
from footnote.text.tokens import content_terms
from footnote.types import EVERYONE, Arm, Assignment, Caller, ChunkSentences, Document, Feedback, Hit, Request, Turn
from tests.conftest import HandClock
from tests.deps import FakeDeps, call_step
from tests.fakes import make_chunk, make_document, make_hit, work_all
from tests.turns import HELD, as_closest, make_turn, stored

ALL, STAFF, BOARD = frozenset({EVERYONE}), frozenset({"staff"}), frozenset({"board"})
LOCAL = Caller("local", sees_all=True, role="admin")
TEXT_ONLY = {"text": 1.0}


def document(doc_id: str, *groups: str, generation: int = 1) -> Document:
    return make_document(doc_id, groups=groups or (EVERYONE,), generation=generation, active_generation=generation)


def vote(user: str, rating: bool, *cited: str, leans_on: tuple[str, ...] = (), shares: Any = TEXT_ONLY) -> Vote:
    return Vote(user, rating, dict.fromkeys(cited, 1), (*cited, *leans_on), shares)


def many(count: int, rating: bool, *cited: str, start: int = 0, **options: Any) -> list[Vote]:
    return [vote(f"user {number}", rating, *cited, **options) for number in range(start, start + count)]


def values(votes: list[Vote], *documents: Document) -> dict[str, float]:
    made = make_weights(votes, {each.doc_id: each for each in documents})
    return {doc_id: weight.value for doc_id, weight in made.documents.items()}


# --- the estimate --------------------------------------------------------------------------------


def test_a_document_rated_better_than_the_rest_is_raised_and_a_worse_one_lowered() -> None:
    votes = [*many(20, True, "good"), *many(20, False, "bad", start=20)]
    assert values(votes, document("good"), document("bad")) == {"good": 1.0615, "bad": 0.9385}


def test_a_weight_stays_within_its_bound() -> None:
    votes = [*many(900, True, "good"), *many(900, False, "bad", start=900)]
    assert values(votes, document("good"), document("bad")) == pytest.approx({"good": 1 + BOUND, "bad": 1 - BOUND}, abs=0.002)
    assert estimate([(1.0, 0.0)] * 100_000, 1.0).value == 1 - BOUND


def test_few_users_weigh_nothing_and_one_user_counts_once() -> None:
    rest = many(20, False, "bad", start=20)
    documents = document("good"), document("bad")
    assert "good" not in values([*many(LEAST_USERS - 1, True, "good"), *rest], *documents)
    assert "good" not in values([*(many(1, True, "good") * 100), *rest], *documents)
    once, often = many(6, True, "good"), [*many(6, True, "good"), *(many(1, True, "good") * 100)]
    assert values([*once, *rest], *documents)["good"] == values([*often, *rest], *documents)["good"]


def test_one_user_moves_a_weight_by_at_most_a_fifth_of_the_bound() -> None:
    """Whoever joins, leaves or changes their mind, however few others there are."""

    def weight(users: int, ups: int, others: int, other_ups: int) -> float:
        if users < LEAST_USERS:
            return 1.0
        rates = [(1.0, 1.0)] * ups + [(1.0, 0.0)] * (users - ups)
        return estimate(rates, (ups + other_ups) / (users + others)).value

    moves = []
    for users in range(LEAST_USERS - 1, 40):
        for ups in range(users + 1):
            for others, other_ups in ((0, 0), (5, 5), (5, 0), (100, 100), (100, 50), (100, 0)):
                now = weight(users, ups, others, other_ups)
                moves += [abs(weight(users + 1, ups + up, others, other_ups) - now) for up in (0, 1)]
                if ups:
                    moves.append(abs(weight(users, ups - 1, others, other_ups) - now))
    assert 0.01 < max(moves) <= BOUND / 5


def test_equal_ratings_weigh_nothing() -> None:
    votes = [*many(10, True, "one"), *many(10, False, "one", start=10), *many(10, True, "two", start=20), *many(10, False, "two", start=30)]
    assert values(votes, document("one"), document("two")) == {"one": 1.0, "two": 1.0}


def test_a_field_is_weighted_by_the_ratings_of_answers_whose_passages_matched_in_it() -> None:
    votes = [*many(30, True, "a", shares={"title": 0.8, "text": 0.2}), *many(30, False, "b", start=30, shares={"title": 0.1, "text": 0.9})]
    fields = make_weights(votes, {"a": document("a"), "b": document("b")}).fields
    assert fields["title"].value > 1.03
    assert fields["text"].value < 0.97
    assert "headings" not in fields


def test_terms_count_for_each_field_that_holds_them() -> None:
    terms = frozenset({"ferri", "harbour"})
    shares = match_shares(terms, "Ferry times", ("Ferry times", "Harbour"), ("ferri", "leav", "harbour"), "en")
    assert shares == {"title": 0.25, "headings": 0.25, "text": 0.5}
    assert match_shares(terms, "Parking", (), ("park",), "en") == {}


# --- who learns of what --------------------------------------------------------------------------


def test_a_weight_is_learned_only_from_what_all_its_readers_may_read() -> None:
    votes = [
        *many(10, True, "open"),
        *many(20, False, "open", start=10, leans_on=("secret",)),  # nobody outside the board may learn of these
        *many(10, False, "secret", start=30),
    ]
    documents = document("open"), document("secret", "board")
    alone = values(votes[:10], *documents)
    assert values(votes, *documents)["open"] == alone["open"] == 1.0
    both = make_weights(votes, {each.doc_id: each for each in documents}).documents
    assert both["secret"].value < 1
    assert both["open"].users == 10


def test_readers_of_several_groups_learn_from_what_each_of_them_may_read() -> None:
    documents = document("shared", "staff", "board"), document("staffs", "staff"), document("both", "staff", "board", "guests")
    for other, counts in (("staffs", False), ("both", True), ("gone", False)):
        found = values(many(20, False, "shared", leans_on=(other,)), *documents)
        assert ("shared" in found) is counts, other


def test_fields_are_learned_only_from_what_everybody_may_read() -> None:
    votes = [*many(30, True, "secret", shares={"title": 1.0}), *many(30, False, "secret", start=30)]
    assert make_weights(votes, {"secret": document("secret", "board")}).fields == {}
    assert make_weights(votes, {"secret": document("secret")}).fields


def test_a_weight_ends_with_the_version_and_the_readers_that_it_was_learned_for() -> None:
    weights = Weights({"plan": DocumentWeight(0.9, 9, 0.1, 1, ("staff",))})
    chunk = make_chunk(make_document("plan", groups=("staff",)), "Two years.")
    assert weights.factor(chunk, frozenset(), ()) == 0.9
    assert weights.factor(replace(chunk, generation=2), frozenset(), ()) == 1.0
    assert weights.factor(replace(chunk, permission_groups=STAFF | BOARD), frozenset(), ()) == 1.0
    assert "plan" not in values(many(20, False, "plan"), document("plan", generation=2))


# --- what a rating is about ----------------------------------------------------------------------


def rated(rating: Any, **given: Any) -> RatedTurn:
    turn = as_closest(make_turn("How long?", hits=(make_hit("Two years long.", "plan"), make_hit("Nine miles long.", "road"))))
    return RatedTurn(stored(turn), Feedback(turn.trace_id, "ann", rating, **given))


@pytest.mark.parametrize(
    ("rating", "given", "cited"),
    [
        ("up", {}, {"plan", "road"}),
        ("up", {"selected_citations": ("road",)}, {"road"}),
        ("up", {"selected_citations": ("plan#000",)}, {"plan"}),
        ("down", {}, {"plan", "road"}),
        ("down", {"reason": "wrong_source", "selected_citations": ("road",)}, {"plan"}),
        ("down", {"reason": "unclear"}, None),
        ("down", {"reason": "incomplete"}, None),
        ("down", {"selected_citations": ("plan", "road")}, None),
    ],
)
def test_a_rating_is_about_the_citations_that_it_means(rating: Any, given: Any, cited: set[str] | None) -> None:
    found = vote_of(rated(rating, **given))
    assert (set(found.cited) if found else None) == cited


def test_passages_of_other_systems_get_no_vote() -> None:
    each = rated("up")
    for hit in each.record["hits"]:
        hit["passage"] = f"mcp|{hit['passage']}"
    assert vote_of(each) is None


def test_weights_are_stored_as_they_are() -> None:
    votes = [*many(20, True, "good"), *many(20, False, "bad", start=20)]
    made = make_weights(votes, {"good": document("good"), "bad": document("bad", "*", "staff")}, 7.0)
    record: Any = type("Stored", (), {"value": dump_weights(made)})
    assert load_weights(record) == made
    assert load_weights(None) == Weights()


# --- the order of passages -----------------------------------------------------------------------


class Kept:
    """Records that hold these weights."""

    def __init__(self, weights: Weights) -> None:
        self.value = dump_weights(weights)

    async def get(self, kind: str, key: str) -> Any:
        return self if (kind, key) == ("weights", "default") else None


class Seen:
    """An index with these texts."""

    def __init__(self, *hits: Hit) -> None:
        self._texts = {hit.chunk.chunk_id: hit.chunk.text for hit in hits}

    async def view(self, caller: Caller, collection: str) -> View:
        return View(stored=collection)

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        return {each: ChunkSentences((), terms=(" ".join(content_terms(self._texts[each], "en")),)) for each in chunk_ids}


async def weighed(weights: Weights, *hits: Any, question: str = "How long?") -> Turn:
    turn = make_turn(question, pool=hits, hits=hits)
    return await call_step(weigh, turn, FakeDeps(index=Seen(*hits), records=Kept(weights)))  # type: ignore[no-any-return]


async def test_passages_are_ordered_by_their_weighted_scores_and_notes_say_so() -> None:
    weights = Weights({"plan": DocumentWeight(0.9, 9, 0.1, 1, ("staff",)), "gone": DocumentWeight(1.1, 9, 1.0, 1, ("staff",))})
    turn = await weighed(
        weights, make_hit("One.", "plan", score=0.8), make_hit("Two.", "road", score=0.75), make_hit("Three.", "x", score=0.2)
    )
    assert [(hit.chunk.doc_id, round(hit.score, 3)) for hit in turn.evidence.pool] == [("road", 0.75), ("plan", 0.72), ("x", 0.2)]
    assert turn.trace.notes["feedback_weights"] == {"weighted": 1, "moved": 2}
    assert turn.evidence.pool[1].scores["feedbackWeight"] == 0.9


async def test_a_score_stays_a_score_and_a_negative_one_is_raised_towards_zero() -> None:
    weights = Weights({"plan": DocumentWeight(1.1, 9, 1.0, 1, ("staff",))})
    turn = await weighed(weights, make_hit("Two.", "road", score=1.0), make_hit("One.", "plan", score=0.99))
    assert [(hit.chunk.doc_id, hit.score) for hit in turn.evidence.pool] == [("plan", 1.0), ("road", 1.0)]
    turn = await weighed(weights, make_hit("Two.", "road", score=-1.05), make_hit("One.", "plan", score=-1.1))
    assert [hit.chunk.doc_id for hit in turn.evidence.pool] == ["plan", "road"]


async def test_a_passage_that_matches_in_a_better_field_is_raised() -> None:
    weights = Weights(fields={"title": Weight(1.1, 9, 1.0), "text": Weight(0.95, 9, 0.4)})
    hits = make_hit("Ferry rides are long.", "road", score=0.8), make_hit("It takes an hour.", "ferry", score=0.75)
    turn = await weighed(weights, *hits, question="How long is the ferry ride?")
    assert [hit.chunk.doc_id for hit in turn.evidence.pool] == ["ferry", "road"]


async def test_without_weights_nothing_changes() -> None:
    hits = make_hit("One.", "plan", score=0.4), make_hit("Two.", "road", score=0.7)
    turn = await weighed(Weights(), *hits)
    assert turn.evidence.pool == hits
    assert "feedback_weights" not in turn.trace.notes


# --- from feedback to order, on real stores ------------------------------------------------------


QUESTION = "How long does the ferry to the island take?"
TEXTS = {
    "timetable.txt": "The ferry to the island takes 40 minutes in summer.",
    "brochure.txt": "The ferry to the island takes 45 minutes in winter.",
}


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock) -> AsyncIterator[Core]:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    made = Core(settings, clock=clock)
    yield made
    await made.close()


async def add(core: Core, name: str, text: str, *groups: str) -> str:
    added = await core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="default", permission_groups=list(groups))
    await work_all(core)
    return added.doc_id


async def order(core: Core, caller: Caller = LOCAL, **options: Any) -> list[str]:
    asked = Request(QUESTION, "default", options={"feedback_weights": True} if not options else options["options"])
    turn = await core.retrieve.finish(core.new_turn(asked, caller, HELD))
    return [hit.chunk.doc_id for hit in turn.evidence.hits]


async def rate(core: Core, user: str, rating: Any, blamed: str, *, groups: frozenset[str] = frozenset(), useful: str = "") -> None:
    """`blamed`: for a thumbs-up, the only useful document."""
    caller = Caller(user, groups)
    turn = await core.answer.finish(core.new_turn(Request(QUESTION, "default"), caller, HELD))
    cited = {citation.hit.chunk.doc_id for citation in turn.answer.citations} if turn.answer else set()
    assert blamed in cited
    selected = (blamed,) if rating == "up" else tuple(cited - {blamed})
    core.clock.advance(1)  # type: ignore[attr-defined]
    await core.feedback.put(caller, Feedback(turn.trace_id, user, rating, selected_citations=selected, created_at=core.clock()))


async def learn(core: Core) -> dict[str, int]:
    stores = {"feedback": core.feedback, "ledger": core.ledger, "records": core.records}
    return await learn_weights(**stores, collections=core.collections, clock=core.clock)


async def rate_by_many(core: Core, first: str, second: str) -> None:
    for number in range(12):
        await rate(core, f"up {number}", "up", second)
        await rate(core, f"down {number}", "down", first)


async def test_feedback_of_more_than_90_days_ago_is_forgotten(core: Core, clock: HandClock) -> None:
    for name, text in TEXTS.items():
        await add(core, name, text, EVERYONE)
    before = await order(core, options={})
    await rate_by_many(core, *before)
    clock.advance(89 * 86_400)
    assert await learn(core) == {"default": 2}
    assert await order(core) == before[::-1]
    clock.advance(2 * 86_400)
    assert await learn(core) == {"default": 0}
    assert await order(core) == before


async def test_feedback_changes_the_order_only_where_switched_on_and_until_a_reset(core: Core, clock: HandClock) -> None:
    for name, text in TEXTS.items():
        await add(core, name, text, EVERYONE)
    before = await order(core, options={})
    assert len(before) == 2
    await rate_by_many(core, *before)
    assert await learn(core) == {"default": 2}
    assert await learn(core) == {}  # nothing has changed
    assert await order(core, options={}) == before
    assert await order(core) == before[::-1]
    core.live.current = core.settings.model_copy(update={"rag": Rag(switched_on=["feedback_weights"])})
    assert await order(core, options={}) == before[::-1]
    turn = await core.answer.finish(core.new_turn(Request(QUESTION, "default"), LOCAL, HELD))
    assert turn.plan.choices["feedback_weights"].because == "RAG__SWITCHED_ON names it"
    shown = {line.step: line.span for line in core.explain_ended(turn).lines}["feedback_weights"]
    assert shown.detail == {"weighted": 2, "moved": 2}
    clock.advance(1)
    await reset_weights("default", records=core.records, by="root", now=clock())
    assert await order(core) == before
    assert await learn(core) == {}  # what was said before the reset does not count
    with pytest.raises(NotFound):
        await reset_weights("elsewhere", records=core.records, by="root", now=clock())


async def test_a_replaced_document_starts_anew_and_deleted_feedback_is_forgotten(core: Core) -> None:
    for name, text in TEXTS.items():
        await add(core, name, text, EVERYONE)
    before = await order(core, options={})
    await rate_by_many(core, *before)
    await learn(core)
    title = {(await core.ledger.get(LOCAL, doc_id)).file_name: doc_id for doc_id in before}
    name = next(name for name, doc_id in title.items() if doc_id == before[0])
    await add(core, name, f"{TEXTS[name]} So it is.", EVERYONE)
    turn = await core.retrieve.finish(core.new_turn(Request(QUESTION, "default", options={"feedback_weights": True}), LOCAL, HELD))
    factors = {hit.chunk.doc_id: hit.scores.get("feedbackWeight", 1.0) for hit in turn.evidence.hits}
    assert factors[before[0]] == pytest.approx(1.0, abs=0.01)  # at most what its fields weigh
    assert factors[before[1]] > 1.03
    for number in range(12):
        await core.turns.delete_all_of(Caller(f"up {number}"))
        await core.turns.delete_all_of(Caller(f"down {number}"))
    assert await learn(core) == {"default": 0}


async def test_ratings_of_what_a_reader_may_not_read_do_not_move_their_order(core: Core) -> None:
    for name, text in TEXTS.items():
        await add(core, name, text, EVERYONE)
    guest = Caller("guest")
    before = await order(core, guest, options={})
    secret = await add(core, "secret.txt", "The ferry to the island takes 40 minutes, and the pilots are paid in gold.", "board")
    for number in range(15):
        await rate(core, f"member {number}", "down", before[0], groups=BOARD)
    assert await learn(core) in ({}, {"default": 0}, {"default": 1})
    weights = load_weights(await core.records.get("weights", "default"))
    assert before[0] not in weights.documents
    assert secret not in weights.documents
    assert weights.fields == {}
    assert await order(core, guest) == before


async def test_each_collection_has_weights_of_its_own(core: Core) -> None:
    for name, text in TEXTS.items():
        await add(core, name, text, EVERYONE)
    before = await order(core, options={})
    await rate_by_many(core, *before)
    await core.records.put("weights", "side", dump_weights(Weights({before[0]: DocumentWeight(0.9, 9, 0.0, 1, (EVERYONE,))})), by="x")
    assert await learn(core) == {"default": 2, "side": 0}  # nobody rated anything in the other one
    turn = make_turn("How long?", collection="side", pool=(make_hit("One.", "plan"), make_hit("Two.", "road")))
    weights = Kept(Weights({"plan": DocumentWeight(0.9, 9, 0.1, 1, ("staff",))}))
    turn = await call_step(weigh, turn, FakeDeps(index=Seen(), records=weights))
    assert "feedback_weights" not in turn.trace.notes


async def test_an_arm_of_an_experiment_switches_the_weights_and_answers_are_cached_apart(core: Core) -> None:
    from footnote.learn.experiments import with_arm

    plain = core.new_turn(Request(QUESTION, "default"), LOCAL, HELD)
    arm = Arm("weighted", options={"feedback_weights": True})
    turn = with_arm(plain, Assignment("00ff", "weights", arm, 0, {"weighted": 1.0}), "an experiment", core.settings)
    assert turn.plan.wants("feedback_weights")
    assert turn.plan.pool_size >= 20
    scopes = {str(answer_scope(turn, View(), core.settings, core.prompts, weights)) for weights in (1, 2)}
    assert len(scopes) == 2
