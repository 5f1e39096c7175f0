"""Derived queries find evidence that the question's own words do not, and change nothing else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.bootstrap import Core
from footnote.errors import ModelUnavailable
from footnote.guard.identity import LOCAL
from footnote.retrieve.derived import add_feedback, is_abstract, is_keyword_query, may_expand, with_derived, write_hypothetical
from footnote.retrieve.fuse import fuse_lists
from footnote.retrieve.search import embed_query, search
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Candidate, Candidates, OptionName, Profile, Query, RankedList, Request, Search, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeEmbedder, FakeModel, FakeModels, make_document, put_document
from tests.turns import make_turn, with_

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
QUESTION = "How old is that bridge?"
ANSWER = ["Masons completed it in 1894 [1]."]


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)), models=FakeModels(None))
    await put_document(made.generations, make_document("records"), ["Masons completed the viaduct in 1894."])
    await put_document(made.generations, make_document("menu"), ["Soup is served at noon."])
    yield made
    await made.close()


async def ask(core: Core, *replies: Any, question: str = QUESTION, **options: bool) -> tuple[Turn, FakeModel]:
    model = FakeModel([reply if isinstance(reply, list) else [json.dumps(reply)] for reply in replies] + [ANSWER])
    core.__dict__["models"] = FakeModels(model)
    request = Request(question, options=options)  # type: ignore[arg-type]
    return await core.answer.finish(core.new_turn(request, LOCAL, PROFILE)), model


@pytest.mark.parametrize(
    ("option", "reply", "kind"),
    [
        ("paraphrases", {"queries": ["When did masons complete the viaduct?"]}, "paraphrase"),
        ("step_back", {"query": "What is known of the viaduct?"}, "step_back"),
    ],
)
async def test_a_passage_that_only_a_derived_query_finds_is_cited(core: Core, option: OptionName, reply: Any, kind: str) -> None:
    turn, model = await ask(core, reply, **{option: True})
    assert [query.kind for query in turn.queries] == ["original", kind]
    assert turn.asked == QUESTION
    assert [citation.hit.chunk.doc_id for citation in turn.answer.citations] == ["records"]
    assert QUESTION in model.sent[0].messages[0].content
    assert not turn.trace.degraded


async def test_by_default_no_query_is_derived_and_no_model_is_asked_for_one(core: Core) -> None:
    turn, model = await ask(core, question="When was the viaduct completed?")
    assert [query.kind for query in turn.queries] == ["original"]
    assert len(model.sent) == 1


async def test_several_kinds_are_derived_side_by_side_and_in_the_order_of_the_table(core: Core) -> None:
    turn, _ = await ask(core, {"queries": ["viaduct age", "Viaduct  age"]}, {"query": "viaduct"}, paraphrases=True, step_back=True)
    assert [(query.kind, query.text) for query in turn.queries[1:]] == [("paraphrase", "viaduct age"), ("step_back", "viaduct")]


@pytest.mark.parametrize("reply", [[ModelUnavailable("It is down.")], ["no JSON"]], ids=["down", "unusable"])
async def test_a_model_that_fails_leaves_the_search_without_derived_queries(core: Core, reply: list[Any]) -> None:
    replies = [reply] if isinstance(reply[0], Exception) else [reply, reply]
    turn, _ = await ask(core, *replies, question="When was the viaduct completed?", paraphrases=True)
    assert [query.kind for query in turn.queries] == ["original"]
    assert turn.evidence.hits[0].chunk.doc_id == "records"
    assert turn.trace.degraded
    assert [span.status for span in turn.trace.spans if span.name == "paraphrases"] == ["skipped"]


async def test_a_derived_query_with_a_forbidden_term_is_dropped_and_the_answer_given(core: Core) -> None:
    await core.terms.save(LOCAL, "salary")
    reply = {"queries": ["What salary did the masons get?", "When did masons complete the viaduct?"]}
    turn, model = await ask(core, reply, paraphrases=True)
    assert [query.text for query in turn.queries] == [QUESTION, "When did masons complete the viaduct?"]
    assert turn.outcome is None
    assert len(model.sent) == 2, "one for the paraphrases, one for the answer, none to judge"


async def test_where_derived_queries_cannot_be_checked_none_is_searched_for(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    async def current() -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:  # the check of the question
            return None
        raise ModelUnavailable("It is down.")

    monkeypatch.setattr(core.terms, "current", current)
    turn, _ = await ask(core, {"queries": ["When did masons complete the viaduct?"]}, paraphrases=True)
    assert [query.kind for query in turn.queries] == ["original"]
    assert turn.trace.degraded


@pytest.mark.parametrize(
    ("turn", "may"),
    [
        (make_turn(model="fake"), True),
        (make_turn(model=None), False),
        (make_turn(model="fake", queries=("one part", "the other")), False),
    ],
    ids=["a model", "none", "several parts"],
)
def test_queries_are_derived_by_a_model_from_one_question(turn: Turn, may: bool) -> None:
    assert may_expand(turn) is may


def test_texts_of_a_kind_share_its_weight_and_repeated_ones_are_left_out() -> None:
    written = ["what  length", "how long?", "", "What length", "distance in miles"]
    turn = with_derived(make_turn("How long?"), "paraphrase", written, 0.4, longest=12)
    assert turn.queries[1:] == (Query("what length", "paraphrase", 0.2), Query("distance in", "paraphrase", 0.2))


async def test_derived_queries_add_to_the_scores_and_leave_the_best_one_as_it_was() -> None:
    def found(query: str, *ids: str) -> RankedList:
        return RankedList("bm25", query, tuple(Candidate(each, float(-place)) for place, each in enumerate(ids)))

    turn = make_turn("question", retriever="bm25")
    turn = with_derived(turn, "step_back", ["general"], 0.5, longest=99)
    turn = with_(turn, lists=(found("question", "a", "b", "c"), found("general", "b", "x")))
    ranked = (await call_step(fuse_lists, turn, FakeDeps())).evidence.ranked
    assert [(entry.chunk_id, entry.score, entry.query) for entry in ranked] == [
        ("a", 1.0, "question"), ("b", 1.0, "question"), ("c", 0.0, "question"), ("x", 0.0, "question"),
    ]  # fmt: skip


async def test_agreement_of_derived_queries_makes_no_passage_answer_better_than_it_does() -> None:
    """Scores are judged later: the best one is what the question alone gave it, and the others keep their distance."""
    own = RankedList("bm25", "question", (Candidate("a", 4.0), Candidate("b", 3.0), Candidate("c", 2.0)))
    general = RankedList("bm25", "general", (Candidate("a", 9.0), Candidate("b", 6.0), Candidate("x", 3.0)))
    turn = with_derived(make_turn("question", retriever="bm25"), "step_back", ["general"], 0.5, longest=99)
    ranked = (await call_step(fuse_lists, with_(turn, lists=(own, general)), FakeDeps())).evidence.ranked
    # a 1 + .5 · 1, b .5 + .5 · .5, c 0, x .5 · 0; all divided by 1.5
    assert [(entry.chunk_id, entry.score) for entry in ranked] == [("a", 1.0), ("b", 0.5), ("c", 0.0), ("x", 0.0)]


class Heard:
    def __init__(self) -> None:
        self.searches: list[Search] = []

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        self.searches.append(search)
        return Candidates()


async def test_hypothetical_texts_are_searched_by_vector_only_and_feedback_by_words_only() -> None:
    index, embedder = Heard(), FakeEmbedder()
    turn = with_derived(make_turn("Why?"), "hypothetical", ["Because of the rain."], 0.3, longest=99)
    turn = with_derived(turn, "feedback", ["rain cloud"], 0.2, longest=99)
    deps = FakeDeps(index=index, embedder=embedder)
    turn = await call_step(search, await call_step(embed_query, turn, deps), deps)
    assert [(each.text, each.vector is not None) for each in index.searches] == [("Why?", True), ("", True), ("rain cloud", False)]
    assert len(turn.vectors) == 1


async def test_a_text_that_was_derived_twice_is_searched_for_once() -> None:
    index = Heard()
    turn = make_turn("Why?")
    twice = (*turn.queries, Query("rain", "paraphrase", 0.5), Query("rain", "step_back", 0.3))
    await call_step(search, replace(turn, queries=twice), FakeDeps(index=index))
    assert [each.text for each in index.searches] == ["Why?", "rain"]


async def test_a_hypothetical_text_without_a_vector_is_not_searched_for() -> None:
    index = Heard()
    turn = with_derived(make_turn("Why?"), "hypothetical", ["Because of the rain."], 0.3, longest=99)
    await call_step(search, turn, FakeDeps(index=index))
    assert [each.text for each in index.searches] == ["Why?"]


@pytest.mark.parametrize(
    ("question", "retriever", "abstract"),
    [
        ("resilience in teams", "cc", True),
        ("resilience", "bm25", False),
        ("What makes a team resilient?", "cc", False),
        ("회복 탄력성", "cc", True),
    ],
)
def test_a_hypothetical_text_is_for_questions_of_fewer_than_five_words(question: str, retriever: Any, abstract: bool) -> None:
    assert is_abstract(make_turn(question, retriever=retriever)) is abstract


async def test_where_the_embedder_does_not_speak_the_language_no_text_is_made_up() -> None:
    models = FakeModels(FakeModel([]))
    turn = make_turn("회복 탄력성", lang="ko", model="fake")
    assert (await call_step(write_hypothetical, turn, FakeDeps(models=models, embedder=FakeEmbedder()))).queries == turn.queries
    assert models.asked == []


@pytest.mark.parametrize(
    ("question", "lang", "is_one"),
    [
        ("heat transfer laminar boundary layer flat plate", "en", True),
        ("how does heat transfer in a laminar boundary layer of a plate", "en", False),
        ("heat transfer laminar boundary layer flat plate?", "en", False),
        ("boundary layer", "en", False),
        ("Kündigungsfrist Mietvertrag Probezeit Wohnung Garage Stellplatz", "de", True),
        ("welche Kündigungsfrist Mietvertrag Probezeit Wohnung Garage Stellplatz", "de", False),
        ("임대차 계약 해지 통보 기간 보증금 반환", "ko", True),
        ("임대차 계약 해지 통보 기간 보증금 반환 언제", "ko", False),
    ],
)
def test_feedback_is_for_six_content_terms_without_a_question_word(question: str, lang: str, is_one: bool) -> None:
    assert is_keyword_query(make_turn(question, lang=lang)) is is_one


async def test_the_keywords_of_feedback_come_from_passages_that_the_caller_may_read(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path)
    words = "heat transfer laminar boundary layer flat plate"
    await put_document(index, make_document("open", groups=("staff",)), [f"{words} nusselt", f"{words} nusselt prandtl"])
    await put_document(index, make_document("closed", groups=("board",)), [f"{words} canary"])
    await put_document(index, make_document("other"), ["Soup is served at noon."])
    deps = FakeDeps(index=index)
    turn = await call_step(search, make_turn(words), deps)
    leaked = (*turn.evidence.lists, RankedList("bm25", words, (Candidate("closed|1|0", 99.0),)))
    turn = await call_step(add_feedback, with_(turn, lists=leaked), deps)
    assert turn.queries[-1].kind == "feedback"
    assert turn.queries[-1].text.split() == ["nusselt", "prandtl"]
    await index.close()


async def test_without_hybrid_search_the_vectors_alone_decide_where_there_are_any() -> None:
    lists = Candidates((Candidate("words", 9.0), Candidate("both", 1.0)), (Candidate("near", 0.9), Candidate("both", 0.1)))
    bare = Candidates((Candidate("words", 9.0), Candidate("both", 1.0)))
    deps = FakeDeps(embedder=FakeEmbedder())
    dense, lexical = [
        await call_step(fuse_lists, make_turn(level="basic", found=(found,), vectors=(np.ones(16, np.float32),)), deps)
        for found in (lists, bare)
    ]
    assert [entry.chunk_id for entry in dense.evidence.ranked] == ["near", "both"]
    assert [entry.chunk_id for entry in lexical.evidence.ranked] == ["words", "both"]
