"""The natural questions, the files that some of them ask about, and questions that documents have nothing on."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.manuals import FILES, collect, main, name_of
from bench.natural import holds
from footnote.text.everyday_questions import EVERYDAY

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
    return frozenset(word[: STEM[lang]] for word in re.findall(r"\w+", text.lower()) if word not in FUNCTION_WORDS[lang].split())


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


def test_no_foreign_question_is_nearly_one_that_refusals_are_calibrated_with() -> None:
    near = [
        (question["text"], other)
        for question in read("foreign")
        for other in EVERYDAY[question["lang"]]
        if share_of_words(question["text"], other, question["lang"]) > 0.5
    ]
    assert near == []


def test_no_foreign_question_is_one_that_refusals_are_calibrated_with() -> None:
    normalised = {" ".join(re.findall(r"\w+", text.lower())) for texts in EVERYDAY.values() for text in texts}
    assert [q["_id"] for q in read("foreign") if " ".join(re.findall(r"\w+", q["text"].lower())) in normalised] == []


def test_a_quote_is_found_in_text_of_other_case_and_punctuation() -> None:
    assert holds("Run *git revert*, then push.", [(2, "44ff119ab6ec")], "en")
    assert not holds("Run git reset, then push.", [(2, "44ff119ab6ec")], "en")


def test_half_of_each_kind_of_question_on_manuals_is_held_out() -> None:
    counts = Counter((q["lang"], q["kind"], q["half"]) for q in read("natural") if q["set"] == "manuals")
    assert counts == {
        (lang, kind, half): number
        for lang in ("en", "de", "ko")
        for kind, number in {"clear": 12, "reworded": 2, "unanswerable": 2}.items()
        for half in ("dev", "test")
    }


def test_questions_on_manuals_name_files_that_are_collected() -> None:
    names = {name_of(lang, package, path) for lang, packages in FILES.items() for package, paths in packages.items() for path in paths}
    asked = [q for q in read("natural") if q["set"] == "manuals"]
    assert {source for q in asked for source in q["source"]} - names == set()
    assert [q["_id"] for q in asked if q["answerable"] != bool(q["quotes"]) or q["answerable"] != bool(q["source"])] == []


def test_what_is_installed_is_collected_and_missing_packages_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "root/usr/share/doc/ufw"
    folder.mkdir(parents=True)
    (folder / "README.Debian").write_text("ufw is a firewall.\n")
    folder = tmp_path / "root/usr/share/doc/screen"
    folder.mkdir(parents=True)
    (folder / "FAQ.gz").write_bytes(gzip.compress("Q: café?\n".encode()))
    missing = collect(tmp_path / "files", tmp_path / "root")
    assert {file.name: file.read_text() for file in (tmp_path / "files").iterdir()} == {
        "en-ufw-README.Debian.txt": "ufw is a firewall.\n",
        "en-screen-FAQ.txt": "Q: café?\n",
    }
    assert "git-man" in missing
    assert "ufw" not in missing
    assert main([str(tmp_path / "files"), "--root", str(tmp_path / "root")]) == 1
    assert "manpages-de" in capsys.readouterr().err
