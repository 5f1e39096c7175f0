"""Passages that seldom answer are put back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.rank.penalties import penalise
from footnote.settings import LLM, Embedding, Rerank, Settings
from footnote.types import Caller, ContentType, Hit, Profile, Request, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_document, make_hit, put_document
from tests.turns import make_turn

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
TYPES: dict[str, ContentType] = {"contents": "contents", "glossary": "reference", "credits": "credits"}


def page(name: str, score: float) -> Hit:
    return make_hit("The harbour bridge.", name, score=score, content_type=TYPES.get(name, "text"))


async def penalised(question: str, *pool: Hit, lang: str = "en") -> Turn:
    turn = make_turn(question, lang=lang, pool=pool, hits=pool)
    return await call_step(penalise, turn, FakeDeps())  # type: ignore[no-any-return]


def scores(turn: Turn) -> list[tuple[str, float]]:
    return [(hit.chunk.doc_id, round(hit.score, 3)) for hit in turn.evidence.pool]


async def test_each_type_loses_its_share_and_the_order_follows() -> None:
    pool = (page("contents", 1.0), page("glossary", 0.9), page("credits", 0.8), page("text", 0.6), page("other", 0.5))
    turn = await penalised("How long is the harbour bridge?", *pool)
    assert scores(turn) == [("glossary", 0.63), ("text", 0.6), ("contents", 0.5), ("other", 0.5), ("credits", 0.48)]
    assert turn.trace.notes["penalised"] == 3


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("What is a pylon?", "en"),
        ("What does pylon mean?", "en"),
        ("Was bedeutet Pylon?", "de"),
        ("Was ist ein Pylon?", "de"),
        ("주탑이란 무엇인가요?", "ko"),
    ],
)
async def test_a_glossary_keeps_its_score_where_something_is_to_be_defined(question: str, lang: str) -> None:
    turn = await penalised(question, page("glossary", 0.9), page("contents", 0.9), page("text", 0.8), lang=lang)
    assert scores(turn) == [("glossary", 0.9), ("text", 0.8), ("contents", 0.45)]


async def test_other_passages_stay_as_they_are() -> None:
    turn = await penalised("How long is the bridge?", page("text", 0.5), page("other", 0.8))
    assert scores(turn) == [("text", 0.5), ("other", 0.8)]
    assert "penalised" not in turn.trace.notes


async def search(core: Core, **options: Any) -> list[str]:
    request = Request("How long is the harbour bridge?", "default", limit=2, **options)
    turn = await core.retrieve.finish(core.new_turn(request, Caller("local", sees_all=True), PROFILE))
    return [hit.chunk.doc_id for hit in turn.evidence.hits]


async def test_with_the_option_a_page_behind_takes_the_place_of_a_table_of_contents(tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    await put_document(
        core.generations, make_document("contents"), ["Contents\nHow long is the harbour bridge ........ 3"], content_type="contents"
    )
    await put_document(
        core.generations, make_document("text"), ["The bridge in the harbour is 300 metres long, which is long for a bridge of its age."]
    )
    await put_document(
        core.generations, make_document("other"), ["How long is the old harbour bridge? Nobody knows; it was built in 1894."]
    )
    await put_document(core.generations, make_document("last"), ["The harbour."])  # the lowest score of a list counts as 0
    try:
        assert await search(core) == ["text", "contents"]
        assert await search(core, options={"penalties": True}) == ["text", "other"]
        by_words = await search(core, options={"penalties": True}, retriever="bm25")
        assert by_words == await search(core, retriever="bm25")
        assert "contents" in by_words
    finally:
        await core.close()


class TitleReranker:
    """A reranker that takes a table of contents for the best answer."""

    async def rerank(self, query: str, texts: Sequence[str]) -> dict[int, float]:
        return {at: 0.9 if "Contents" in text else 0.8 for at, text in enumerate(texts)}

    async def close(self) -> None:
        """It has no connections."""


async def test_a_rerankers_scores_are_lowered_too(tmp_path: Path) -> None:
    settings = Settings(
        footnote_data=tmp_path,
        llm=LLM(discover=False),
        embedding=Embedding(builtin=False),
        rerank=Rerank(base_url="http://reranker.test", model="titles"),
    )
    core = Core(settings)
    core.reranker = TitleReranker()
    question = "How long is the harbour bridge"
    await put_document(
        core.generations, make_document("contents"), [f"Contents\n{question} ... 3\n{question} ... 4"], content_type="contents"
    )
    await put_document(core.generations, make_document("text"), ["The bridge has a length of 300 metres."])
    try:
        assert await search(core) == ["contents", "text"]
        assert await search(core, options={"penalties": True}) == ["text", "contents"]
    finally:
        await core.close()
