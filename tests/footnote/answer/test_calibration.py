"""What questions about something else score on a collection."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from footnote.answer.calibration import KEPT_S, TYPICAL, Calibration
from footnote.errors import StoreUnavailable
from footnote.ports import View
from footnote.text.everyday_questions import EVERYDAY
from footnote.types import Caller, Turn
from tests.fakes import make_document, put_document
from tests.footnote_local.conftest import open_core
from tests.turns import make_turn, with_


class Collection:
    """An index that only knows how many passages the caller sees, by group."""

    def __init__(self, **passages: int) -> None:
        self.passages = passages

    async def view(self, caller: Caller, collection: str) -> View:
        seen = {group: count for group, count in self.passages.items() if caller.sees_all or group in caller.groups}
        return View(1, {"en": sum(seen.values())}, frozenset(seen))


class Kept:
    """A cache."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.values: dict[str, tuple[Any, float]] = {}
        self.writes = 0

    async def get(self, key: str) -> Any:
        if self.error:
            raise self.error
        return self.values[key][0] if key in self.values else None

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        self.writes += 1
        if self.error:
            raise self.error
        self.values[key] = value, ttl_s


class Scores:
    """Scores of the questions in their order: 0, 1, 4, 9 …"""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []
        self.now = self.most = 0

    async def __call__(self, turn: Turn, question: str, by_vectors: bool) -> float:
        self.asked.append((question, by_vectors))
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        bank = next(bank for bank in EVERYDAY.values() if question in bank)
        return float(list(bank).index(question) ** 2)


MEDIAN, OF_TWENTY = (29**2 + 30**2) / 2, (9**2 + 10**2) / 2


def make(index: Any = None, cache: Any = None) -> tuple[Calibration, Scores]:
    scores = Scores()
    return Calibration(scores, index or Collection(staff=100), cache or Kept()), scores


async def test_searches_that_lack_a_list_do_not_count_and_are_not_kept() -> None:
    cache, scores = Kept(), Scores()
    questions = list(EVERYDAY["en"])

    async def score(turn: Turn, question: str, by_vectors: bool) -> float | None:
        return None if question == questions[-1] else await scores(turn, question, by_vectors)

    calibration = Calibration(score, Collection(staff=100), cache)  # type: ignore[arg-type]
    assert await calibration.median(make_turn(), by_vectors=True) == median([n**2 for n in range(len(questions) - 1)])
    await calibration.median(make_turn(), by_vectors=True)
    assert (len(scores.asked), cache.writes) == (len(questions) - 1, 0)


async def test_a_turn_that_lacks_a_list_of_the_index_starts_no_further_searches() -> None:
    calibration, scores = make()
    lacking = make_turn(lists_missing=("cosine",))
    assert await calibration.median(lacking, by_vectors=True) == TYPICAL
    assert scores.asked == []
    assert await calibration.median(make_turn(lists_missing=("graph", "feedback")), by_vectors=True) == MEDIAN
    assert await calibration.median(lacking, by_vectors=True) == MEDIAN


@pytest.mark.parametrize("lang", ["en", "de", "ko", "ja", "es"])
async def test_the_median_of_the_everyday_questions_of_the_question_s_language_is_taken(lang: str) -> None:
    calibration, scores = make()
    assert await calibration.median(make_turn(lang=lang), by_vectors=True) == {60: MEDIAN, 20: OF_TWENTY}[len(EVERYDAY[lang])]
    assert scores.asked == [(question, True) for question in EVERYDAY[lang]]
    assert await calibration.median(make_turn(lang="eu"), by_vectors=True) == TYPICAL  # which has none


def test_each_language_has_different_everyday_questions() -> None:
    sizes = {lang: len(set(questions)) for lang, questions in EVERYDAY.items()}
    assert sizes == dict.fromkeys(EVERYDAY, 20) | dict.fromkeys(("en", "de", "ko"), 60)
    assert len(sizes) == 26


async def test_at_most_eight_are_searched_for_at_once() -> None:
    calibration, scores = make()
    await calibration.median(make_turn(), by_vectors=True)
    assert scores.most == 8


async def test_the_median_is_kept_in_the_process_and_in_the_cache() -> None:
    cache = Kept()
    first, scores = make(cache=cache)
    for _ in range(2):
        await first.median(make_turn(), by_vectors=False)
    assert len(scores.asked) == 60
    assert list(cache.values.values()) == [(MEDIAN, KEPT_S)]
    other, scores = make(cache=cache)
    assert await other.median(make_turn(), by_vectors=False) == MEDIAN
    assert scores.asked == []


async def test_a_median_is_found_for_each_collection_view_language_and_way_of_scoring() -> None:
    index = Collection(staff=100, board=100)
    turns = [
        (make_turn(embedder="fake"), True),
        (make_turn(embedder="fake"), False),
        (make_turn(lang="de", embedder="fake"), True),
        (make_turn(embedder="other"), True),
        (with_(make_turn(embedder="fake"), collection="minutes"), True),
        (with_(make_turn(embedder="fake"), caller=Caller("you", frozenset({"board"}))), True),
        (with_(make_turn(embedder="fake"), caller=Caller("you", frozenset({"board", "staff"}))), True),
        (with_(make_turn(embedder="fake"), caller=Caller("admin", sees_all=True)), True),
    ]
    calibration, scores = make(index)
    for number, (turn, by_vectors) in enumerate(turns, start=1):
        await calibration.median(turn, by_vectors=by_vectors)
        assert len(scores.asked) == 60 * number
    # the same passages: a caller with one more group, which no document names; by words, whatever the embedder
    for turn, by_vectors in (
        (with_(make_turn(embedder="fake"), caller=Caller("you", frozenset({"staff", "choir"}))), True),
        (make_turn(embedder="other"), False),
    ):
        await calibration.median(turn, by_vectors=by_vectors)
    assert len(scores.asked) == 60 * len(turns)


@pytest.mark.parametrize(("passages", "again"), [(100, False), (101, False), (112, True), (90, True)])
async def test_it_is_found_again_once_the_callers_passages_have_changed_by_a_tenth(passages: int, again: bool) -> None:
    index = Collection(staff=100)
    calibration, scores = make(index)
    await calibration.median(make_turn(), by_vectors=True)
    index.passages = {"staff": passages, "board": 5000}
    await calibration.median(make_turn(), by_vectors=True)
    assert (len(scores.asked) == 120) is again


async def test_several_questions_at_once_wait_for_one_run() -> None:
    calibration, scores = make()
    found = await asyncio.gather(*(calibration.median(make_turn(), by_vectors=True) for _ in range(5)))
    assert found == [MEDIAN] * 5
    assert len(scores.asked) == 60


async def test_a_question_that_is_given_up_does_not_end_the_run_that_others_wait_for() -> None:
    calibration, scores = make()
    first, second = (asyncio.create_task(calibration.median(make_turn(), by_vectors=True)) for _ in range(2))
    while not scores.asked:
        await asyncio.sleep(0)
    first.cancel()
    assert await second == MEDIAN
    assert len(scores.asked) == 60


async def test_a_run_that_fails_is_told_to_all_that_wait_and_repeated_by_the_next() -> None:
    down = True

    async def score(turn: Turn, question: str, by_vectors: bool) -> float:
        await asyncio.sleep(0)
        if down:
            raise StoreUnavailable("down")
        return 1.0

    calibration = Calibration(score, Collection(staff=1), Kept())  # type: ignore[arg-type]
    tries = await asyncio.gather(*(calibration.median(make_turn(), by_vectors=True) for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in tries] == [StoreUnavailable] * 3
    down = False
    assert await calibration.median(make_turn(), by_vectors=True) == 1.0


async def test_a_cache_that_is_down_does_not_hinder_and_is_not_waited_for_twice() -> None:
    cache = Kept(StoreUnavailable("down"))
    calibration, scores = make(cache=cache)
    assert [await calibration.median(make_turn(), by_vectors=True) for _ in range(2)] == [MEDIAN, MEDIAN]
    assert (len(scores.asked), cache.writes) == (60, 0)


async def scores_on(folder: Path, caller: Caller, documents: Sequence[tuple[str, str]]) -> float:
    """m for the caller on an embedded index of these documents: (group, text)."""
    core = open_core(folder)
    for number, (group, text) in enumerate(documents):
        await put_document(core.index, make_document(f"d{number}", groups=(group,)), [text])
    found = await core.calibration.median(with_(make_turn(), caller=caller), by_vectors=False)
    await core.close()
    return found


async def test_documents_that_the_caller_may_not_read_do_not_change_it(tmp_path: Path) -> None:
    mine = [("staff", "What is good in Spain? The best time to play chess in Japan is when it rains."), ("staff", "The bridge is blue.")]
    theirs = [("board", " ".join(EVERYDAY["en"]).replace("?", "."))]
    caller = Caller("me", frozenset({"staff"}))
    alone = await scores_on(tmp_path / "alone", caller, mine)
    assert await scores_on(tmp_path / "beside", caller, mine + theirs) == alone
    reader = Caller("you", frozenset({"staff", "board"}))
    assert await scores_on(tmp_path / "beside", reader, []) > alone


async def test_a_collection_that_is_near_nothing_has_the_score_of_no_evidence(tmp_path: Path) -> None:
    assert await scores_on(tmp_path, Caller("me", frozenset({"staff"})), [("staff", "Zzyzx.")]) == median([-9.0])
