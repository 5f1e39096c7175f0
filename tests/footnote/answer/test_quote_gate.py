"""The words that a model quotes for its citations are looked up in the passages that it was shown."""

from __future__ import annotations

import json
import random
import unicodedata
from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from footnote.answer.citation_styles import cite
from footnote.answer.quote_gate import MOST, cites_sentences, gate_quotes, look_up, normal_form, quotes_shown
from footnote.errors import ModelUnavailable
from footnote.prompts import LANGUAGES
from footnote.types import Answer, Citation, Hit, QuotedWords, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeModel, FakeModels, make_hit
from tests.footnote.answer.misquotes import misquotes, passages, true_quotes
from tests.turns import HELD, LIVE, make_turn, with_

BRIDGE = make_hit(
    "The **bridge** was built in 1894, and it cost 4.50 crowns (“a scandal”). Carts pay 10 crowns – Bob's pay none."
    " Guests may not cross it at night.",
    "bridge",
)
TOWER = make_hit("The tower was built in 1731 by Ada Berg. It is -5 degrees there.", "tower")
SECOND = make_hit("The second part of the bridge was built in 1910 by the town.", "bridge", 1)

FOUND = [
    "The bridge was built in 1894, and it cost 4.50 crowns",
    "the BRIDGE was\n\nbuilt  in 1894",
    "„The bridge was built in 1894.“",
    'and it cost 4.50 crowns ("a scandal")',
    "Carts pay 10 crowns -- Bob’s pay none.",
    "Carts pay 10 crowns — Bob's pay none",
    "… Guests may not cross it at night",
    "The bridge was built […] Guests may not cross it",
    "Guests may not cro\u00adss it",
    "Ｇｕｅｓｔｓ may not cross it",
    "- Guests may not cross it",
]
NOT_FOUND = [
    "The bridge was built in 1895",
    "The bridge was built in 189",
    "built in 1894, and it cost 4",
    "built in 1894, and it cost 4.5",
    "50 crowns (“a scandal”)",
    "it cost 4.50 crowns (“no scandal”)",
    "Carts pay 10 crown",
    "uests may not cross it",
    "Bobs pay none. Guests may",
    "The bridge … not cross it at night",
    "Guests may … cross it at night",
    "5 degrees there. It is",
]


def looked_up(quote: str, *cited: Hit, others: tuple[Hit, ...] = ()) -> QuotedWords | None:
    return look_up(quote, [normal_form(hit.chunk.text) for hit in cited], [normal_form(hit.chunk.text) for hit in others])


def state(quote: str, *cited: Hit, others: tuple[Hit, ...] = ()) -> str | None:
    found = looked_up(quote, *cited, others=others)
    return found.state if found else None


@pytest.mark.parametrize("quote", FOUND)
def test_a_quote_is_found_however_it_is_written(quote: str) -> None:
    assert state(quote, BRIDGE) == "found"


@pytest.mark.parametrize("quote", NOT_FOUND)
def test_a_quote_with_another_word_or_number_is_not_found(quote: str) -> None:
    assert state(quote, BRIDGE, others=(TOWER,)) == "not_found"


def test_the_bounds_are_those_of_the_passage() -> None:
    found = looked_up("BUILT  in 1894, … crowns — Bob’s pay none", BRIDGE)
    assert found.bounds is not None
    assert BRIDGE.chunk.text[slice(*found.bounds)] == (
        "built in 1894, and it cost 4.50 crowns (“a scandal”). Carts pay 10 crowns – Bob's pay none"
    )


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("이 다리는 1894년에 건설되었습니다.", "다리는 1894년에 건설", "found"),
        ("이 다리는 1894년에 건설되었습니다.", "이 다리는 894년에 건설되었습니다", "not_found"),
        (unicodedata.normalize("NFD", "Die Gebühr für Gäste beträgt 5 €."), "die Gebühr für Gäste beträgt 5€", "found"),
        ("Die Gebühr für Gäste beträgt 5 €.", unicodedata.normalize("NFD", "Gebühr für Gäste beträgt"), "found"),
        (unicodedata.normalize("NFD", "Es gilt für die Größe."), "gilt für die Gro", "not_found"),
        ("Das sind bis zu 10\u202f000 Euro.", "sind bis zu 10", "not_found"),
        ("| Cart | 10 crowns |", "Cart 10 crowns", "found"),
        ("It is -5 degrees there.", "5 degrees there", "not_found"),
        ("料金は五ユーロです。毎日払います。", "料金は五ユーロです", "found"),
        ("cafe\u0301 au lait costs much", "au lait costs", "found"),
    ],
)
def test_letters_may_be_composed_and_words_of_some_languages_cut(text: str, quote: str, expected: str) -> None:
    assert state(quote, make_hit(text)) == expected


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("tower was built in 1731", "misattributed"),
        ("The bridge was built Guests may not cross it", "stitched"),
        ("The tower was built It is -5 degrees there", "stitched"),
        ("Guests may not cross it The bridge was built", "not_found"),
        ("The bridge was built by Ada Berg", "not_found"),
        ("The tower was built … Guests may not cross it", "not_found"),
        ("built in", None),
        ("…", None),
        ("", None),
    ],
)
def test_a_quote_may_be_elsewhere_or_put_together(quote: str, expected: str | None) -> None:
    assert state(quote, BRIDGE, others=(TOWER,)) == expected


def test_of_200_misquotes_none_is_found_and_of_200_true_quotes_every_one() -> None:
    for kind, made in (("misquotes", misquotes(random.Random(1))), ("true", true_quotes(random.Random(2)))):
        states: Counter[tuple[str, str]] = Counter()
        forms = {lang: [normal_form(text) for text in passages(lang)] for lang in ("en", "de", "ko")}
        for what, quote, lang, at in islice(made, 200):
            shown = forms[lang]
            found = look_up(quote, [shown[at]], [*shown[:at], *shown[at + 1 :]])
            states[(what, found.state if found else "none")] += 1
        if kind == "true":
            assert {state for _, state in states} == {"found"}, states
        else:
            assert not any(state in ("found", "none") for _, state in states), states
            assert {state for what, state in states if what == "other passage"} == {"misattributed"}
            assert {state for what, state in states if what == "invented"} == {"not_found"}
            assert states["stitched", "stitched"] == sum(n for (what, _), n in states.items() if what == "stitched")


SAID = "The bridge was built in 1894 [1]. Carts pay ten crowns [1]. Ada Berg built the tower [2]."


def asked(text: str = SAID, **changes: Any) -> Turn:
    hits = changes.pop("hits", (BRIDGE, TOWER))
    profile = changes.get("profile", HELD)
    said, citations = cite(text, hits, profile.citation_style, "en")
    return with_(make_turn("When?", hits=hits, model="fake", answer=Answer(said, citations, model="fake")), **changes)


async def gate(turn: Turn, *replies: Any) -> tuple[Turn, FakeModel]:
    model = FakeModel([[reply] for reply in replies])
    done = await call_step(gate_quotes, turn, FakeDeps(models=FakeModels(model)))
    assert isinstance(done, Turn)
    return done, model


def reply(*quotes: str) -> str:
    return json.dumps({"quotes": quotes})


def cited(turn: Turn) -> list[Citation]:
    return list(turn.answer.citations)


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_found_quotes_become_the_evidence(lang: str) -> None:
    before = asked(lang=lang)
    turn, model = await gate(before, reply("1: and it cost 4.50 crowns", "2: Carts pay ten crowns", "3: Guests may not cross it"))
    bridge, tower = cited(turn)
    assert [quote and quote.state for quote in (*bridge.quotes, *tower.quotes)] == ["found", "not_found", "misattributed"]
    assert bridge.snippet == BRIDGE.chunk.text[slice(*bridge.bounds[0])] == "and it cost 4.50 crowns"
    assert (bridge.bounds[1], tower.snippet) == (cited(before)[0].bounds[1], cited(before)[1].snippet)
    assert quotes_shown(turn) == {"found": 1, "not_found": 1, "misattributed": 1}
    request = model.sent[0].messages[0].content
    assert "1. (" in request
    assert "Carts pay ten crowns" in request
    assert '<document number="2" title="Tower">' in request
    assert turn.answer.warnings == ()


@pytest.mark.parametrize(
    "replies",
    [
        ('{"quotes": []}',),
        ("I cannot quote.", "I cannot quote."),
        (reply("none", "The bridge was built in 1990", "7: The bridge was built in 1990", "1: none", "2: -"),),
        (ModelUnavailable("gone"),),
        ("", ""),
    ],
)
async def test_a_model_that_does_not_quote_changes_nothing(replies: tuple[Any, ...]) -> None:
    before = asked()
    turn, _ = await gate(before, *replies)
    assert (turn.answer, turn.trace.degraded, quotes_shown(turn)) == (before.answer, False, {})


@pytest.mark.parametrize(("style", "expected"), [("footnote", "found"), ("numbered", "misattributed")])
async def test_a_marker_that_names_a_document_means_all_its_passages(style: str, expected: str) -> None:
    marker = {"footnote": "[^bridge]", "numbered": "[1]"}[style]
    before = asked(f"The bridge was built in 1894 {marker}.", profile=replace(HELD, citation_style=style), hits=(BRIDGE, SECOND))
    turn, _ = await gate(before, reply("1: was built in 1910 by the town"))
    (one,) = cited(turn)
    assert one.quotes == (QuotedWords("was built in 1910 by the town", expected),)  # type: ignore[arg-type]
    assert (one.snippet, one.bounds) == (cited(before)[0].snippet, cited(before)[0].bounds)


async def test_only_what_the_model_was_shown_is_looked_into() -> None:
    before = asked("The bridge was built in 1894 [1].", hits=(BRIDGE, TOWER), shown=(BRIDGE,))
    turn, model = await gate(before, reply("1: The tower was built in 1731"))
    assert cited(turn)[0].quotes == (QuotedWords("The tower was built in 1731", "not_found"),)
    assert "tower" not in model.sent[0].messages[0].content


async def test_at_most_so_many_sentences_are_asked_for() -> None:
    turn, model = await gate(asked(" ".join(f"Cart {n} pays 10 crowns [1]." for n in range(MOST + 5))), reply(f"{MOST + 1}: a b c d"))
    assert f"{MOST}. (" in model.sent[0].messages[0].content
    assert f"{MOST + 1}. (" not in model.sent[0].messages[0].content
    assert cited(turn)[0].quotes == ()


def test_only_a_models_answer_with_markers_of_its_own_is_asked_about() -> None:
    turn = asked()
    assert turn.answer is not None
    assert cites_sentences(turn)
    assert cites_sentences(with_(turn, profile=LIVE))
    added = replace(turn.answer, citations=tuple(replace(each, is_added=True) for each in turn.answer.citations))
    for answer in (added, replace(turn.answer, extractive=True), replace(turn.answer, citations=()), None):
        assert not cites_sentences(with_(turn, answer=answer))
    assert not cites_sentences(with_(turn, model=None))
    assert not cites_sentences(with_(turn, outcome="refused"))
