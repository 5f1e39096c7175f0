"""What kind of question is asked, in three languages."""

from __future__ import annotations

import pytest

from bench.question_kinds import WEIGHTS, recognised
from footnote.text.question_kinds import classify
from footnote.types import Intent, QuestionType

KINDS: tuple[tuple[Intent, QuestionType, dict[str, str]], ...] = (
    ("FACTUAL", "factual", {"en": "Who owns the ferry?", "de": "Wem gehört die Fähre?", "ko": "여객선의 주인은 누구인가요?"}),
    ("FACTUAL", "procedural", {"en": "How do I renew my pass?", "de": "Pass verlängern", "ko": "여권을 갱신하는 방법"}),
    ("FACTUAL", "temporal", {"en": "When does the market open?", "de": "Seit wann gibt es den Markt?", "ko": "시장은 언제 여나요?"}),
    ("FACTUAL", "relational", {"en": "Who does the cook report to?", "de": "An wen berichtet der Koch?", "ko": "누구에게 보고하나요?"}),
    ("FACTUAL", "aggregative", {"en": "What is the total of all fees?", "de": "Wie hoch ist die Gesamtgebühr?", "ko": "모두 몇 원인가요?"}),
    ("SUMMARY", "aggregative", {"en": "Summarize the minutes", "de": "Fasse das Protokoll zusammen", "ko": "회의록을 요약해 주세요"}),
    ("COMPARISON", "comparative", {"en": "Is rail cheaper than road?", "de": "Bahn und Auto im Vergleich", "ko": "기차와 자동차의 차이점"}),
    ("LIST", "aggregative", {"en": "Which ports are closed?", "de": "Welche Häfen sind gesperrt?", "ko": "폐쇄된 항구 목록"}),
    ("ANALYTICAL", "relational", {"en": "Why was the port closed?", "de": "Warum wurde der Hafen gesperrt?", "ko": "왜 폐쇄되었나요?"}),
)  # fmt: skip


@pytest.mark.parametrize(("intent", "kind", "question", "lang"), [(i, k, q, lang) for i, k, each in KINDS for lang, q in each.items()])
def test_intent_and_type_are_recognised_in_every_language(intent: Intent, kind: QuestionType, question: str, lang: str) -> None:
    found = classify(question, lang)
    assert (found.intent, found.type) == (intent, kind)


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("Which form do I need?", "en"),
        ("What are dead letters?", "en"),
        ("Welche Aufgabe hat der Wart?", "de"),
        ("Karten für Kinder", "de"),
        ("어떤 양식을 쓰나요?", "ko"),
    ],
)
def test_one_thing_is_no_list_and_a_noun_no_task(question: str, lang: str) -> None:
    assert (classify(question, lang).intent, classify(question, lang).type) == ("FACTUAL", "factual")


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("Leg de bestelling uit en geef aan wie de kosten moet dragen", "nl"),  # ends as “Urlaub beantragen” does
        ("Durée du contrat 2024 et trend", "fr"),
        ("Les causes du retard", "fr"),
        ("이유", "mis"),
    ],
)
def test_in_a_language_without_patterns_a_fact_is_asked_for(question: str, lang: str) -> None:
    assert (classify(question, lang).intent, classify(question, lang).type) == ("FACTUAL", "factual")


def test_a_date_is_an_entity_in_every_language() -> None:
    assert [(each.kind, each.text) for each in classify("Qui a signé le 2024-05-17 ?", "fr").entities] == [("date", "2024-05-17")]


def test_why_one_thing_is_better_asks_for_reasons() -> None:
    assert classify("Why is rail better than road?", "en").intent == "ANALYTICAL"


def test_accuracy_of_question_kinds_is_as_measured() -> None:
    """Of questions of folders that nothing was fitted with; the patterns before told 451."""
    counts = recognised()
    assert sum(counts[asks][asks] for asks in counts) >= 515
    assert sum(count.total() for count in counts.values()) == 879


def test_the_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size < 200_000


@pytest.mark.parametrize(
    ("question", "lang", "expected"),
    [
        ("Did Marie Curie pay 300 dollars on 3 May 2021?", "en", {"date": {"3 May 2021"}, "name": {"Marie Curie"}, "number": {"300"}}),
        ("Does AWS cost more than Azure?", "en", {"name": {"AWS", "Azure"}}),
        ("Was hat Dr. Meyer am 3. Mai 2021 gesagt?", "de", {"date": {"3. Mai 2021"}, "name": {"Dr. Meyer"}}),
        ("Welche Anträge gelten?", "de", {}),
        ("2024년 3월에 SLA 위반이 20% 늘었나요?", "ko", {"date": {"2024년 3월"}, "name": {"SLA"}, "number": {"20%"}}),
    ],
)
def test_names_numbers_and_dates_are_entities(question: str, lang: str, expected: dict[str, set[str]]) -> None:
    found: dict[str, set[str]] = {}
    for entity in classify(question, lang).entities:
        found.setdefault(entity.kind, set()).add(entity.text)
    assert found == expected


@pytest.mark.parametrize(
    ("question", "lang", "expected"),
    [
        ("Compare Berlin and London", "en", ["Berlin", "London"]),
        ("Summarize Project Osprey", "en", ["Osprey"]),
        ("Compare Paris, Rome and Madrid", "en", ["Paris", "Rome", "Madrid"]),
        ("Who is Dr. Smith at Acme Corp?", "en", ["Dr. Smith", "Acme Corp"]),
        ("How many vacation days do I have?", "en", []),
        ("List all suppliers", "en", []),
        ("Wie hoch ist die Grenze für Hotels in Berlin?", "de", ["Berlin"]),
        ("Vergleiche Berlin und London", "de", ["Berlin", "London"]),
        ("Wann endet der Wartungsvertrag mit Siemens?", "de", ["Siemens"]),
        ("Gilt die Regel auch für Mitarbeiter in Leipzig und Dresden?", "de", ["Leipzig", "Dresden"]),
        ("Welche Unterlagen brauche ich für den Antrag?", "de", []),
        ("베를린과 런던을 비교해줘", "ko", ["베를린", "런던"]),
        ("부산 호텔 한도는 얼마인가요?", "ko", ["부산"]),
        ("콘도르 프로젝트의 예산은?", "ko", ["콘도르"]),
        ("카카오와 네이버의 차이는?", "ko", ["카카오", "네이버"]),
        ("휴가 신청은 어떻게 하나요?", "ko", []),
    ],
)
def test_every_name_is_one_entity(question: str, lang: str, expected: list[str]) -> None:
    assert [entity.text for entity in classify(question, lang).entities] == expected


@pytest.mark.parametrize("question", ["", "?", "\ud800", "A" * 600, "Berlin " * 90, "가" * 600, "1 2 3"])
@pytest.mark.parametrize("lang", ["en", "de", "ko", "fr"])
def test_any_text_is_classified_with_a_confidence_between_0_and_1(question: str, lang: str) -> None:
    assert 0 < classify(question, lang).confidence < 1


def test_signs_of_several_intents_make_a_kind_less_sure() -> None:
    one, several = classify("Summarize the travel policy", "en"), classify("Summarize why A is better than B, and list all reasons", "en")
    assert several.confidence < one.confidence


@pytest.mark.parametrize(
    ("question", "lang", "hops"),
    [
        ("Where was the author who wrote War and Peace born?", "en", True),
        ("What is the warranty and who pays for it?", "en", True),
        ("Wo wohnt der Mann, der die Brücke gebaut hat?", "de", True),
        ("What is the warranty?", "en", False),
        ("Wo steht die Brücke?", "de", False),
        ("다리는 어디에 있나요?", "ko", False),
    ],
)
def test_a_question_in_a_question_takes_several_steps(question: str, lang: str, hops: bool) -> None:
    assert classify(question, lang).is_multi_hop is hops


def test_hints_and_chunk_levels_follow_the_kind() -> None:
    listed, fact = classify("Which ports are closed?", "en"), classify("Who owns the ferry?", "en")
    assert (listed.hints.suggested_top_k, listed.hints.prompt_template, listed.levels) == (15, "list", (0, 1, 2))
    assert (fact.hints.use_mmr, fact.hints.use_cot, fact.levels) == (False, False, (2,))
    assert classify("Compare rail and road", "en").hints.use_mmr
