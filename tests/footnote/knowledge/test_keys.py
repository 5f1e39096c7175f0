"""Keys of names, and short names of a document."""

from __future__ import annotations

from time import process_time

import pytest

from footnote.knowledge.keys import key_of, resolve


@pytest.mark.parametrize(
    ("names", "key"),
    [
        (("United Nations", "UNITED  NATIONS", "United\nNations (UN)", "“United Nations”", "United Nations'"), "united nations"),
        (("UN", "U.N.", "(UN)", "un"), "un"),
        (("J. R. Smith", "J.R. Smith", "JR Smith", "J. R. Smith’s"), "jr smith"),
        (("Baden-Württemberg", "Baden–Württemberg", "BADEN-WÜRTTEMBERG", "Baden‑Württemberg"), "baden-württemberg"),
        (("Große Straße", "GROSSE STRASSE", "„Große Straße“"), "grosse strasse"),
        (("삼성전자", "삼성전자(주)", "「삼성전자」", "삼성전자（株）"), "삼성전자"),
        (("NASA", "ＮＡＳＡ", "_NASA_", "**NASA**"), "nasa"),
    ],
)
def test_ways_to_write_a_name_have_one_key(names: tuple[str, ...], key: str) -> None:
    assert {key_of(name) for name in names} == {key}


def test_signs_within_a_name_belong_to_its_key() -> None:
    names = ("O'Neill", "AT&T", "Node.js", "C++", "Windows 8.1", "Rock 'n' Roll")
    assert [key_of(name) for name in names] == ["o'neill", "at&t", "node.js", "c++", "windows 8.1", "rock n roll"]


def test_what_has_no_letters_has_no_key() -> None:
    assert [key_of(name) for name in ("", " ", "--", "“”")] == ["", "", "", ""]


@pytest.mark.parametrize("name", ["U.N.", "J. R. Smith’s", "“United Nations” (UN)", "삼성전자(주)", "Rock 'n' Roll", "St. Paul's"])
def test_the_key_of_a_key_is_itself(name: str) -> None:
    assert key_of(key_of(name)) == key_of(name)


def test_a_surname_stands_for_the_person_named_in_full() -> None:
    assert resolve(["Peter Johnson", "Johnson", "Boston"]) == {"Johnson": "Peter Johnson"}
    assert resolve(["Thomas Müller", "Müller", "Müllers", "München"]) == {"Müller": "Thomas Müller", "Müllers": "Thomas Müller"}
    assert resolve(["로널드 레이건", "레이건", "미국"]) == {"레이건": "로널드 레이건"}


def test_a_name_that_is_broken_by_a_line_is_one_line_as_an_answer() -> None:
    assert resolve(["Peter\n  Johnson", "Johnson"]) == {"Johnson": "Peter Johnson"}


def test_a_first_name_stands_for_the_person_named_in_full() -> None:
    assert resolve(["Maria Reimer", "Maria", "Berlin"]) == {"Maria": "Maria Reimer"}


def test_a_name_of_two_people_stays_as_it_is() -> None:
    assert resolve(["Peter Johnson", "Mary Johnson", "Johnson", "J. Johnson"]) == {}
    assert resolve(["Thomas Müller", "Gerd Müller", "Müller"]) == {}


def test_initials_stand_for_first_names_that_begin_so() -> None:
    assert resolve(["J. Smith", "John Smith", "Mary Smith"]) == {"J. Smith": "John Smith"}
    assert resolve(["J. Smith", "John Smith", "Smith"]) == {"J. Smith": "John Smith", "Smith": "John Smith"}
    assert resolve(["J. Smith", "John Smith", "James Smith"]) == {}
    assert resolve(["J. R. Smith", "John Peter Smith"]) == {}


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("UN", "United Nations"),
        ("U.N.", "United Nations"),
        ("DOE", "Department of Energy"),
        ("SPD", "Sozialdemokratische Partei Deutschlands"),
    ],
)
def test_an_acronym_stands_for_the_words_that_begin_so(short: str, full: str) -> None:
    assert resolve([full, short, "Geneva"]) == {short: full}


def test_an_acronym_in_parentheses_stands_for_the_name_before_it() -> None:
    assert resolve(["국제연합(UN)", "UN", "서울"]) == {"UN": "국제연합(UN)"}
    assert resolve(["Bundesministerium des Innern (BMI)", "BMI"]) == {"BMI": "Bundesministerium des Innern (BMI)"}


def test_an_acronym_of_two_names_or_of_a_person_stays_as_it_is() -> None:
    assert resolve(["United Nations", "Union Nationale", "UN"]) == {}
    assert resolve(["Peter Johnson", "PJ"]) == {}


def test_places_and_organisations_lend_no_name_to_their_last_word() -> None:
    assert resolve(["University of Berlin", "Berlin", "FC Barcelona", "Barcelona", "New York Times", "New York"]) == {}


def test_a_plural_or_genitive_stands_for_the_name_beside_it() -> None:
    assert resolve(["Hackathon", "Hackathons", "AWS", "AW"]) == {"Hackathons": "Hackathon"}


def test_thousands_of_names_are_resolved_in_a_moment() -> None:
    names = [f"Peter{number} Johnson{number % 700}" for number in range(5000)] + [f"Johnson{number}" for number in range(700)]
    started = process_time()
    resolve(names)
    assert process_time() - started < 5
