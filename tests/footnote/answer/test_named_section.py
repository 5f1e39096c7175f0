"""A section that a question names by its number is found and shown, also without a language model."""

from __future__ import annotations

from pathlib import Path

import pytest

import footnote
from footnote.library.views import Answer

LEASE = """# Lease of the mill

## 1 Rent

### 1.1 Amount

The rent is 380 euros a month.

### 1.2 Payment

It is due on the third working day.

Cash is not accepted.

## 2 Repairs

The tenant sees to the wheel; who pays is in section 1.2.
"""
GRID = "# Water rules\n\n## 1.2 Sluice\n\nThe sluice stays open in March.\n\n## 4 Meters\n\nMeters are read twice a year.\n"
STATUTES = "# Satzung\n\n## § 6 Beitrag\n\nDer Beitrag beträgt 84 Euro.\n\n## § 7 Austritt\n\nDer Austritt ist zum Quartalsende möglich.\n"
RULES = "# 도서관 규정\n\n## 제2조 (시간)\n\n도서관은 오전 9시에 엽니다.\n\n## 제3조 (대출)\n\n책은 네 권까지 빌릴 수 있습니다.\n"
OTHERS = "# Office\n\nThe kitchen is on level 2. Article 9 of the house rules was dropped. Seven rooms have 3 windows.\n"
PAGE = "<html><body><h1>Choir</h1><h2>Article 5 Fees</h2><p>Singers pay 30 francs.</p><h2>Article 6 Tours</h2><p>None.</p></body></html>"


def ask(folder: Path, files: dict[str, str | bytes], question: str) -> Answer:
    with footnote.open(folder / "data", llm__discover=False, embedding__builtin=False) as library:
        for name, text in files.items():
            assert library.ingest(text if isinstance(text, bytes) else text.encode(), name=name).files[0].state == "READY"
        return library.ask(question)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does section 2 say?", "The tenant sees to the wheel"),
        ("Was steht in § 7?", "zum Quartalsende möglich"),
        ("Was regelt § 7 der Satzung?", "zum Quartalsende möglich"),
        ("제3조에는 무슨 내용이 있나요?", "네 권까지"),
        ("What does Article 5 say?", "30 francs"),
        ("What is in chapter 4?", "read twice a year"),
    ],
)
def test_the_section_with_the_number_is_the_answer(question: str, said: str, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"mill.md": LEASE, "water.md": GRID, "satzung.md": STATUTES, "규정.md": RULES, "office.md": OTHERS}
    answer = ask(tmp_path, files | {"choir.html": PAGE}, question)
    assert answer.tier == "answer"
    assert said in answer.text.split("[1]")[0]


def test_a_section_is_shown_from_its_beginning_and_no_reference_to_it(tmp_path: Path) -> None:
    answer = ask(tmp_path, {"mill.md": LEASE, "office.md": OTHERS}, "What does section 1.2 say?")
    assert answer.text == ("**Lease of the mill › 1.2 Payment**\n\nIt is due on the third working day. [1]\n\nCash is not accepted. [1]")


def test_a_section_includes_those_below_it(tmp_path: Path) -> None:
    answer = ask(tmp_path, {"mill.md": LEASE, "office.md": OTHERS}, "What does chapter 1 say?")
    assert [part in answer.text for part in ("380 euros", "third working day", "wheel")] == [True, True, False]


def test_only_the_document_that_the_question_names_answers(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"mill.md": LEASE, "water.md": GRID, "office.md": OTHERS}
    for title, other in (("Water rules", "Lease of the mill"), ("Lease of the mill", "Water rules")):
        answer = ask(tmp_path / title, files, f"What does section 1.2 of the {title.lower()} say?")
        assert title in answer.text
        assert other not in answer.text
    both = ask(tmp_path / "both", files, "What does section 1.2 say?").text
    assert "Water rules" in both
    assert "Lease of the mill" in both


BYLAWS = """Tanzvertrag

§ 2 Probezeit

Die Probezeit dauert vier Monate.

§ 3 Gage

(1) Die Gage beträgt 310 Euro.

(2) Sie wird freitags gezahlt.

§ 4 Reisen
Reisen werden mit der Bahn gemacht.
"""
CHAPTERS = "# Ballet book\n\n## Chapter 3 Shoes\n\nShoes are changed weekly.\n\n## 3 Lights\n\nLights are dimmed.\n"


@pytest.mark.parametrize(
    ("question", "said", "not_said"),
    [
        ("What do sections 1.1 and 1.2 say?", ("380 euros", "third working day"), ("84",)),
        ("Sections 1.1 & 1.2 of the lease?", ("380 euros", "third working day"), ("sluice",)),
        ("Was steht in §§ 6 und 7?", ("84 Euro", "Quartalsende"), ("380",)),
        ("제2조와 제3조에는 무슨 내용이 있나요?", ("오전 9시", "네 권까지"), ("84",)),
        ("Was steht in §§ 2 bis 4?", ("vier Monate", "310 Euro", "mit der Bahn"), ("오전",)),
        ("Was steht in § 3?", ("310 Euro", "freitags"), ("weekly", "dimmed", "vier Monate")),
        ("What does chapter 3 say?", ("weekly",), ("310", "dimmed")),
        ("What does section 3 say?", ("dimmed",), ("310", "weekly")),
        ("제3조는 무엇인가요?", ("네 권까지",), ("dimmed", "weekly")),
        ("Art. 6?", ("None.",), ("84",)),
        ("2.2", (), ("84",)),
        ("1.2", ("third working day", "stays open"), ()),
    ],
)
def test_the_sections_of_the_kind_and_numbers_asked_for_are_shown(
    question: str, said: tuple[str, ...], not_said: tuple[str, ...], tmp_path: Path
) -> None:
    files: dict[str, str | bytes] = {"mill.md": LEASE, "water.md": GRID, "satzung.md": STATUTES, "규정.md": RULES, "office.md": OTHERS}
    answer = ask(tmp_path, files | {"choir.html": PAGE, "tanz.txt": BYLAWS, "ballet.md": CHAPTERS}, question)
    assert [part for part in said if part not in answer.text] == []
    assert [part for part in not_said if part in answer.text] == []
    assert (answer.tier == "answer") == bool(said)


def test_a_section_of_another_kind_is_no_certain_answer(tmp_path: Path) -> None:
    answer = ask(tmp_path, {"ballet.md": CHAPTERS, "office.md": OTHERS}, "Was steht in § 3?")
    assert answer.tier == "closest"
    assert "Lights are dimmed." in answer.text


def test_a_section_that_two_files_have_in_the_same_words_counts_once(tmp_path: Path) -> None:
    copies: dict[str, str | bytes] = {f"copy{number}.md": f"# Copy {number}\n\n{GRID.split(chr(10), 2)[2]}" for number in range(4)}
    assert "third working day" in ask(tmp_path, copies | {"mill.md": LEASE}, "What does section 1.2 say?").text


def test_of_a_question_about_something_in_a_section_its_sentence_comes_first(tmp_path: Path) -> None:
    answer = ask(tmp_path, {"mill.md": LEASE, "office.md": OTHERS}, "Is cash accepted by owner or office according to section 1.2?")
    assert answer.text.index("Cash is not accepted.") < answer.text.index("third working day")


def test_a_section_that_is_not_there_has_no_answer(tmp_path: Path) -> None:
    assert ask(tmp_path, {"mill.md": LEASE, "office.md": OTHERS}, "What does section 9.4 say?").tier != "answer"


@pytest.mark.parametrize(
    ("file_name", "text", "question", "said"),
    [
        ("locks.py", 'LOCK_WAIT_SECONDS = 35\n\n\ndef openGate(mill):\n    """Opens the gate."""\n', "What is the lock wait?", "= 35"),
        ("locks.py", 'LOCK_WAIT_SECONDS = 35\n\n\ndef openGate(mill):\n    """Opens the gate."""\n', "What is LOCK_WAIT_SECONDS?", "= 35"),
        ("gate.ts", "export const gateDelayMs = 240;\n", "What is the gate delay?", "= 240"),
        ("gate.ts", "export const gateDelayMs = 240;\n", "What is gateDelayMs?", "= 240"),
        ("mill.ini", "; the mill\n[pump]\nhost = pump4.internal\n[gate]\nhost = gate1.internal\n", "host of the pump", "pump4.internal"),
        ("mill.toml", "[pump.motor]\nmax_speed = 1450\n", "What is the max speed of the pump motor?", "1450"),
        ("mill.properties", "# the pool\ndb.pool.maxSize=48\nmail.host=smtp9\n", "What is the max size of the pool?", "48"),
        ("mill.env", "PUMP_TOKEN_DAYS=12\nGATE=4\n", "How many days is the pump token valid?", "12"),
    ],
)
def test_names_in_code_and_settings_are_found(file_name: str, text: str, question: str, said: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, {file_name: text, "office.md": OTHERS}, question)
    assert answer.tier != "nothing"
    assert said in answer.text.split("[1]")[0]
