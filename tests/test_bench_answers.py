"""The labelled questions, what is counted of their answers, and questions that documents have nothing on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench.answers import PROFILE, Shown, figures, rank_of, show, upper_bound
from bench.labelled import CALLER, LABELS, UNANSWERED, Label, opened, read_labels
from footnote.bootstrap import Core
from footnote.text.everyday_questions import EVERYDAY
from footnote.types import Request, Turn

QUESTIONS = Path(__file__).parents[1] / "bench" / "questions"
STEM = {"en": 5, "de": 5, "ko": 2}
"""Characters of a word that count, so that inflected words are equal."""
FUNCTION_WORDS = {
    "en": "a an the i me my you your he she it its we us they is are was were be am do does did can could should will would what when "
    "where who why which how in on at to of for from with by and or not s t re this that there no ever have has had so if any",
    "de": "der die das den dem des ein eine einen einem einer ich mich mir mein meine meinem meinen du sie er es wir uns ist sind war bist "
    "hat hatte habe wird man wie was wann wo wer warum welche welcher welches in im an am auf aus zu zum zur für von vom mit beim bei "
    "gegen und oder nicht kein dieser dieses so noch s",
    "ko": "뭐 왜 몇 언제 어디 어디에 어디야 어디서 어디인가요 누가 누구 누구예요 누구지 어떻게 얼마 얼마나 무슨 어떤 그 이 내 나 안 법 때",
}


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (QUESTIONS / f"{name}.jsonl").read_text("utf-8").splitlines()]


def content_words(text: str, lang: str) -> frozenset[str]:
    return frozenset(
        word[: STEM.get(lang, 5)] for word in re.findall(r"\w+", text.lower()) if word not in FUNCTION_WORDS.get(lang, "").split()
    )


def share_of_words(text: str, other: str, lang: str) -> float:
    """Common content words, as a share of the mean number of content words of the two."""
    words, others = content_words(text, lang), content_words(other, lang)
    return 2 * len(words & others) / max(1, len(words) + len(others))


@pytest.mark.parametrize(
    ("text", "other", "lang", "share"),
    [
        ("remove red wine stain", "How do I remove red wine stains?", "en", 1.0),
        ("Wird es morgen regnen?", "Regnet es morgen?", "de", 1.0),
        ("호주 수도가 어디야?", "페루의 수도는 어디인가요?", "ko", 0.5),
        ("How tall was Napoleon?", "Why do cats purr?", "en", 0.0),
    ],
)
def test_reworded_questions_share_their_content_words(text: str, other: str, lang: str, share: float) -> None:
    assert share_of_words(text, other, lang) == share


def test_no_unrelated_question_is_nearly_an_everyday_one() -> None:
    near = [
        (question["text"], other)
        for question in (*read("foreign"), *read("unrelated"))
        for other in EVERYDAY[question["lang"]]
        if share_of_words(question["text"], other, question["lang"]) > 0.5
    ]
    assert near == []


def test_no_foreign_question_is_one_that_refusals_are_calibrated_with() -> None:
    normalised = {" ".join(re.findall(r"\w+", text.lower())) for texts in EVERYDAY.values() for text in texts}
    assert [q["_id"] for q in (*read("foreign"), *read("unrelated")) if " ".join(re.findall(r"\w+", q["text"].lower())) in normalised] == []


WHEN = Label("When was the bridge built?", r"\b1894\b", "nineties", spans=("It was built in 1894.",))
NONE = Label("Who painted it?", None, kind="unanswerable")


def made(label: Label, tier: str, judgement: str, rank: int | None = 1) -> Shown:
    return Shown(label, "en", tier, judgement, "text", "", 10, rank, True)


def test_every_label_can_be_read_and_matches_its_own_words() -> None:
    for file in sorted(LABELS.glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        assert 63 <= sum(row["kind"] not in ("near-miss", "own-words") for row in rows) <= 68, file
        for row in rows:
            held = " ".join(row.get("spans", ()))
            assert row["kind"] in UNANSWERED or re.search(row["key"], held, re.IGNORECASE | re.DOTALL), (file, row["question"])


def test_a_sentence_is_marked_rightly_if_it_is_one_that_holds_the_answer() -> None:
    assert WHEN.marks("It was built in 1894.")
    assert WHEN.marks("In 1894 the king laid the first stone.")
    assert not WHEN.marks("Ferries cross hourly.")


def test_answers_are_counted_by_tier_and_judgement() -> None:
    told = figures(
        [
            made(WHEN, "answer", "right"),
            made(WHEN, "answer", "wrong", 7),
            made(WHEN, "closest", "partly"),
            made(WHEN, "closest", "wrong", None),
            made(WHEN, "nothing", "wrong", 2),
            made(NONE, "answer", "wrong", None),
        ]
    )
    assert (told["certain"], told["closest"], told["refused"], told["shown"]) == ([1, 0, 1], [0, 1, 1], 1, 0.4)
    assert (told["wrong"], told["unanswerable certain"]) == (0.667, "1 of 1")
    assert told["lost"] == {"missed": 1, "refused": 1, "not chosen": 1}


@pytest.mark.parametrize(("wrong", "count", "bound"), [(0, 0, 1.0), (0, 20, 0.161), (10, 20, 0.701), (40, 200, 0.261)])
def test_the_upper_bound_is_that_of_wilsons_interval(wrong: int, count: int, bound: float) -> None:
    assert upper_bound(wrong, count) == pytest.approx(bound, abs=0.001)


async def test_a_folder_is_read_and_asked(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bridge.md").write_text("# Bridge\n\nThe bridge was built in 1894. It carries two lanes.\n")
    label = {"question": WHEN.question, "kind": "answerable", "file": "bridge.md", "spans": ["built in 1894"], "key": "1894"}
    follow = {"question": "And how many lanes?", "before": WHEN.question, "kind": "follow-up", "file": "bridge.md", "key": "two lanes"}
    (tmp_path / "labels.jsonl").write_text(json.dumps(label) + "\n" + json.dumps(follow | {"spans": ["two lanes"]}) + "\n")
    first, second = read_labels(tmp_path)
    async with opened(tmp_path, tmp_path / "data") as core:
        shown = await show(core, first, "en")
        assert (shown.judgement, shown.rank, shown.is_marked) == ("right", 1, True)
        assert (await show(core, second, "en")).is_right
        assert rank_of(Label("", "1931", files=("bridge.md",)), await core.retrieve.finish(shown_turn(core))) is None


def shown_turn(core: Core) -> Turn:
    return core.new_turn(Request(WHEN.question, "default"), CALLER, PROFILE)
