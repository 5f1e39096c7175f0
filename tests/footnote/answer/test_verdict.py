"""Whether excerpts answer a question, may answer it, or have nothing to do with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.answer import verdict
from footnote.answer.features import GROUPS, NAMES
from footnote.answer.verdict import FITTED, RELATED_FROM, answer_from, decide_tier, regime_of, relatedness
from footnote.types import MEDIUM, Hit, Part, Reason, Tier, Verdict
from tests.fakes import make_hit
from tests.footnote.answer.stored_sentences import score

BRIDGE = make_hit("The bridge was built in 1894.", "bridge")
MARKET = make_hit("The market opens at nine. Soup is sold there.", "market")
ASKED = "When was the bridge built?"


@dataclass(frozen=True)
class Fixed:
    """A model that says the same of any rows, or these one after the other."""

    said: tuple[float, ...]
    adds: tuple[tuple[str, float], ...] = ()

    def probability(self, features: Any) -> Any:
        return np.resize(np.array(self.said), len(features)) if features.ndim == 2 else self.said[0]

    def parts(self, row: Any) -> Iterator[tuple[int, float]]:
        return ((NAMES.index(name), part) for name, part in self.adds)


@contextmanager
def models(answers: tuple[float, ...], related: float = 1.0, adds: tuple[tuple[str, float], ...] = ()) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdict, "_models", lambda _: (Fixed(answers, adds), Fixed((related,))))
        yield


async def judged(question: str, *hits: Hit, lang: str = "en") -> verdict.Decision:
    return decide_tier(*(await score(question, *hits, lang=lang)), hits)


@pytest.mark.parametrize(
    ("answers", "related", "tier", "because"),
    [
        (answer_from(), 1.0, "answer", "sure"),
        (answer_from() - 0.01, 1.0, "closest", "likely"),
        (MEDIUM, RELATED_FROM, "closest", "likely"),
        (MEDIUM - 0.01, RELATED_FROM, "closest", "unsure"),
        (answer_from() - 0.01, RELATED_FROM - 0.01, "nothing", "unrelated"),
        (answer_from(), RELATED_FROM - 0.01, "closest", "likely"),
    ],
)
async def test_the_tier_is_that_of_the_two_probabilities(answers: float, related: float, tier: Tier, because: Reason) -> None:
    with models((answers,), related):
        found = await judged(ASKED, BRIDGE)
    assert (found.verdict.tier, found.verdict.because) == (tier, because)
    assert (found.verdict.score, found.verdict.related) == (round(answers, 3), round(related, 3))
    assert bool(found.quotes) is (tier != "nothing")


async def test_without_excerpts_there_is_nothing() -> None:
    assert (await judged(ASKED)).verdict == Verdict("nothing", "unrelated")


async def test_the_likeliest_excerpt_comes_first() -> None:
    with models((0.2, 0.7, 0.1)):
        found = await judged(ASKED, BRIDGE, MARKET)
    assert found.quotes[0].hit is MARKET


async def test_a_heading_alone_is_no_answer() -> None:
    hit = make_hit("The bridge", "bridge", parts=(Part(0, None, 0, 0, "heading"),))
    with models((0.99,)):
        assert (await judged("the bridge", hit)).verdict.tier != "answer"


@pytest.mark.parametrize(
    ("question", "tier", "because"),
    [
        ("What does part 6ES7214-1AG40 cost?", "answer", "sure"),
        ("What does part 6ES7214-1AG41 cost?", "closest", "lacks_code"),
        ("Was kostet Teil 6ES7214-1AG41?", "closest", "lacks_code"),
        ("6ES7214-1AG41 부품은 얼마예요?", "closest", "lacks_code"),
        ("What does version 2026.4.2 cost?", "closest", "lacks_code"),
        ("What does version 2026.4.10 cost?", "answer", "sure"),
    ],
)
async def test_another_code_or_version_is_never_certain(question: str, tier: Tier, because: Reason) -> None:
    hit = make_hit("Part 6ES7214-1AG40 costs 90 euros. Version 2026.4.10 costs 20 euros.")
    with models((0.99,)):
        found = (await judged(question, hit)).verdict
    assert (found.tier, found.because) == (tier, because)


async def test_the_three_strongest_groups_are_the_reasons() -> None:
    adds = (("cosine", 0.4), ("passage_cosine", 0.3), ("covered", -0.2), ("missing", -0.5), ("is_table", 0.1))
    with models((0.7,), adds=adds):
        assert (await judged(ASKED, BRIDGE)).verdict.reasons == ("meaning+", "missing-", "words-")


async def test_words_that_no_passage_has_are_named() -> None:
    assert (await judged("When was the bridge at Eiffel built?", BRIDGE)).verdict.missing == ("Eiffel",)


@pytest.mark.parametrize(
    ("by_vectors", "embedder", "regime"),
    [(True, "multilingual-e5-small", "built-in"), (True, "text-embedding-3-small", "other"), (False, "multilingual-e5-small", "words")],
)
async def test_each_regime_has_its_models(by_vectors: bool, embedder: str, regime: str) -> None:
    vectors: dict[str, Any] = {"vector": np.ones(2, np.float32), "vectors": np.ones((1, 2), np.int8), "passage": np.ones(2, np.float32)}
    question, _ = await score(ASKED, BRIDGE, **(vectors if by_vectors else {}))
    assert regime_of(question, embedder) == regime


@pytest.mark.parametrize(
    ("lang", "text", "asked", "unrelated"),
    [
        ("en", "The ferry to the island leaves at nine.", "When does the ferry to the island leave?", "How long do you boil an egg?"),
        ("de", "Die Fähre zur Insel fährt um neun.", "Wann fährt die Fähre zur Insel?", "Wie lange kocht man ein Ei?"),
        ("ko", "섬으로 가는 여객선은 아홉 시에 떠납니다.", "섬으로 가는 여객선은 언제 떠나요?", "계란은 얼마나 삶아요?"),
    ],
)
async def test_a_sentence_of_a_passage_is_most_related(lang: str, text: str, asked: str, unrelated: str) -> None:
    hit = replace(make_hit(text, "ferry"), scores={"bm25": 6.0})
    rare = {"": 3.0}
    (near,) = relatedness(*(await score(asked, hit, lang=lang, weights=rare)), (hit,)).values()
    (far,) = relatedness(*(await score(unrelated, hit, lang=lang, weights=rare)), (hit,)).values()
    assert near > far


def test_every_column_belongs_to_a_group_that_the_page_can_name() -> None:
    page = (Path(__file__).parents[3] / "functions/query/footnote_query/web/i18n/en.js").read_text("utf-8")
    assert all(f"reason_{group}_{side}:" in page for group in GROUPS.values() for side in ("for", "against"))


def test_a_model_of_other_features_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "fitted.json"
    other.write_text(FITTED.read_text("utf-8").replace('"features":"', '"features":"0'), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdict, "FITTED", other)
        verdict._fitted.cache_clear()
        with pytest.raises(ValueError, match="make fit"):
            answer_from()
    verdict._fitted.cache_clear()


@pytest.mark.parametrize(
    ("question", "lang", "tier"),
    [
        pytest.param("Which room has Mona Falk?", "en", "closest", id="the name"),
        pytest.param("In welchem Raum sitzt Mona Falk?", "de", "closest", id="the name, in another language"),
        pytest.param("Which room has Mona Berg?", "en", "nothing", id="half of the name"),
        pytest.param("Which room has Mona Falk in Oslo?", "en", "nothing", id="one of two names"),
        pytest.param("Which room is it?", "en", "nothing", id="no name"),
    ],
)
async def test_a_passage_with_all_rare_names_of_the_question_is_shown(question: str, lang: str, tier: str) -> None:
    staff = make_hit("Ralf Stone sits in C 12. Mona Falk sits in D 3.", "staff")
    with models((0.1,), related=0.1):
        assert (await judged(question, staff, lang=lang)).verdict.tier == tier
