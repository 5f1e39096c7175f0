"""What a passage says of entities, read without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from footnote.knowledge.entities import (
    ABOUT,
    LONGEST_TITLE,
    MOST_NAMES,
    Entity,
    PassageGraph,
    Relation,
    about,
    names_in,
    pack,
    read_document,
    stated,
    unpack,
)
from footnote.knowledge.keys import key_of
from footnote.types import Chunk, Part
from tests.fakes import make_chunk, make_document

TEXTS = {
    "en": "Ann Mason runs Acme Ltd. It rained all day. Bert Olsen left Elmby.",
    "de": "Anna Maurer leitet die Falken GmbH. Es regnete den ganzen Tag. Bernd Olsen verließ Passau.",
    "ko": "김안나는 부산항만공사에서 일한다. 하루 종일 비가 왔다. 박서준은 서울을 떠났다.",
}
PAIRS = {
    "en": [{"Ann Mason", "Acme Ltd"}, {"Bert Olsen", "Elmby"}],
    "de": [{"Anna Maurer", "Falken GmbH"}, {"Bernd Olsen", "Passau"}],
    "ko": [{"김안나", "부산항만공사"}, {"박서준", "서울"}],
}
LISTS = {
    "en": "Ann Mason met Bert Olsen, Carla Diaz, Dan Egger, Hugo Ibsen, Finn Graf, Gina Hall and Ida Jung.",
    "de": "Anna Maurer traf Bernd Olsen, Carla Diaz, Dan Egger, Eva Fink, Finn Graf und Gina Hall.",
    "ko": "김안나, 박서준, 최민호, 정수진, 강태오, 한지민, 오세훈은 서울에서 만났다.",
}


def passage(text: str, lang: str = "en", *, title: str = "", headings: Sequence[str] = (), ordinal: int = 0) -> Chunk:
    return make_chunk(make_document(title=title), text, ordinal, lang=lang, headings=tuple(headings))


def read(text: str, lang: str = "en", **given: Any) -> PassageGraph:
    (graph,) = read_document([passage(text, lang, **given)])
    return graph


def names(graph: PassageGraph) -> list[str]:
    return [entity.name for entity in graph.entities]


@pytest.mark.parametrize("lang", list(TEXTS))
def test_names_within_a_sentence_are_related_and_no_others(lang: str) -> None:
    graph = read(TEXTS[lang], lang)
    related = [{graph.entities[each.source].name, graph.entities[each.target].name} for each in graph.relations]
    assert related == PAIRS[lang]


@pytest.mark.parametrize("lang", list(TEXTS))
def test_a_relation_is_stated_by_the_sentence_that_names_both(lang: str) -> None:
    graph = read(TEXTS[lang], lang)
    first, second = (text for _, _, text in stated(graph, TEXTS[lang]))
    assert TEXTS[lang].startswith(first)
    assert TEXTS[lang].endswith(second)
    assert all(entity.name in first for entity in graph.entities[:2])


@pytest.mark.parametrize("lang", list(LISTS))
def test_a_list_of_many_names_connects_nothing(lang: str) -> None:
    graph = read(LISTS[lang], lang)
    assert len(graph.entities) > 6
    assert graph.relations == ()


def test_the_relation_of_two_names_is_kept_once_by_its_first_sentence() -> None:
    text = "Ann Mason runs the Acme Works. Ann Mason founded the Acme Works."
    assert [said for *_, said in stated(read(text), text)] == ["Ann Mason runs the Acme Works."]


def test_line_breaks_within_a_sentence_are_not_stated() -> None:
    text = "Ann Mason\n  runs Acme Ltd\tin Elmby."
    assert {said for *_, said in stated(read(text), text)} == {"Ann Mason runs Acme Ltd in Elmby."}


def test_what_a_model_calls_a_relation_is_stated_in_its_words() -> None:
    graph = PassageGraph((Entity("Ann", "ann"), Entity("Acme", "acme")), (Relation(0, 1, 0, 3, "runs"),))
    assert [said for *_, said in stated(graph, "Ann and Acme")] == ["Ann – runs – Acme"]


def test_a_passage_is_about_its_document_its_section_and_what_they_name() -> None:
    graph = read("It rained.", title="The life of Ann Mason", headings=("Works", "Kestrel Bridge (draft)"))
    assert set(graph.about) == {key_of(name) for name in ("The life of Ann Mason", "Ann Mason", "Kestrel Bridge")}
    assert graph.keys == tuple(f"{ABOUT}{key}" for key in graph.about)


def test_only_the_nearest_heading_says_what_a_passage_is_about() -> None:
    assert about(passage("It rained.", headings=("Ann Mason", "Bert Olsen"))) == (key_of("Bert Olsen"),)


def test_a_long_title_is_a_sentence_and_names_nothing() -> None:
    assert about(passage("It rained.", title=f"Ann Mason {'x' * LONGEST_TITLE}")) == ()


@pytest.mark.parametrize(("title", "lang"), [("Ann Mason", "en"), ("Anna Maurer", "de"), ("김안나", "ko")])
def test_a_title_has_the_key_of_the_name_in_a_question(title: str, lang: str) -> None:
    questions = {"en": "What did Ann Mason build?", "de": "Was baute Anna Maurer?", "ko": "김안나는 무엇을 지었나요?"}
    (named,) = names_in(questions[lang], lang)
    mentioned = read(TEXTS[lang], lang).keys
    assert f"{ABOUT}{mentioned[0]}" in read("1894.", lang, title=title).keys
    assert named == title


def test_an_entity_that_is_named_twice_is_one() -> None:
    graph = read("Ann Mason came. Ann Mason went.")
    assert names(graph) == ["Ann Mason"]
    assert graph.keys == (key_of("Ann Mason"),)


def test_only_so_many_names_of_a_passage_are_kept() -> None:
    surnames = "Abbott Baker Carter Dawson Ellis Foster Graham Harris Jenkins Knight Lawson Morris Newton Parker Roberts Simpson".split()
    people = [f"{first} {last}" for first in ("Edith", "Albert", "Martha", "George", "Helen") for last in surnames]
    graph = read(" ".join(f"{name} met Acme Ltd." for name in people))
    assert len(graph.entities) == MOST_NAMES
    assert all(max(each.source, each.target) < MOST_NAMES for each in graph.relations)


def test_other_languages_are_read_by_their_capitals() -> None:
    assert names_in("Jean Dupont habite à Lyon.", "fr") == names_in("Jean Dupont habite à Lyon.", "en") != []


@pytest.mark.parametrize("lang", list(TEXTS))
def test_a_graph_is_unpacked_as_it_was_packed(lang: str) -> None:
    graph = read(TEXTS[lang], lang, title="Ann Mason")
    assert unpack(pack(graph)) == graph
    labelled = PassageGraph((Entity("Ann", "ann", "person"), Entity("Acme", "acme")), (Relation(1, 0, 2, 9, "run by – “Ann”"),), ("x",))
    assert unpack(pack(labelled)) == labelled


def test_a_passage_without_names_packs_to_nothing() -> None:
    graph = read("It rained all day.", title="Weather")
    assert pack(graph) == b""
    assert unpack(b"") == PassageGraph()


def test_each_passage_of_a_document_has_its_own_graph_in_their_order() -> None:
    texts = ["Ann Mason runs Acme Ltd.", "It rained.", "Bert Olsen left Elmby."]
    graphs = read_document([passage(text, ordinal=number) for number, text in enumerate(texts)])
    assert [names(graph) for graph in graphs] == [["Ann Mason", "Acme Ltd"], [], ["Bert Olsen", "Elmby"]]
    assert read_document([]) == []


@pytest.mark.parametrize(
    ("beginning", "told"), [("Halden Labs is old. ", {("Halden Labs", "Acme Works"), ("Halden Labs", "Ann Mason")}), ("", set())]
)
def test_the_name_in_a_title_that_the_text_has_is_related_to_the_others(beginning: str, told: set[tuple[str, str]]) -> None:
    chunk = passage(f"{beginning}It was built by the Acme Works in May. Ann Mason looks after it.", title="People at Halden Labs")
    (graph,) = read_document([chunk])
    assert {(source.name, target.name) for source, target, _ in stated(graph, chunk.text)} == told


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Jens Peters kommt aus Bremen. Am Montag fehlt Jens Peters.", {"Jens Peters", "Bremen"}),
        ("Das ist Ann Masons Werft. Ann Mason kommt aus Bremen.", {"Ann Mason", "Bremen"}),
        ("Apollo 11 startete in Bremen. Nach Apollo 11 kamen 40 Gäste nach Bremen.", {"Apollo 11", "Bremen"}),
        ("In Bremen 3 Grad. In Bremen 4 Grad.", {"Bremen"}),
    ],
)
def test_an_s_or_a_number_belongs_to_a_name_by_the_whole_document(text: str, names: set[str]) -> None:
    chunk = make_chunk(make_document(title=""), text, lang="de")
    assert {entity.name for entity in read_document([chunk])[0].entities} == names


@pytest.mark.parametrize(("kind", "names"), [("md", {"Ann Mason", "Bert Olsen"}), ("eml", {"Ann Mason", "Bert Olsen", "Cleo Marsh"})])
def test_properties_that_head_a_document_connect_nothing(kind: str, names: set[str]) -> None:
    head = "To: Ann Mason, Cleo Marsh"
    text = f"{head}\n\nBert Olsen met Ann Mason."
    parts = (Part(0, None, 0, 0, "metadata"), Part(len(head) + 2, None, 1, 0, "paragraph"))
    chunk = make_chunk(make_document(title=""), text, parts=parts, metadata={"type": kind})
    (graph,) = read_document([chunk])
    assert {entity.name for entity in graph.entities} == names
    assert [(source.name, target.name) for source, target, _ in stated(graph, text)] == [("Bert Olsen", "Ann Mason")]


def test_a_word_that_is_also_written_small_is_no_name() -> None:
    document = make_document(title="")
    texts = ["Parking is free. Ann Mason runs it.", "Whoever needs parking asks Ann Mason."]
    graphs = read_document([make_chunk(document, text, number) for number, text in enumerate(texts)])
    assert {entity.name for graph in graphs for entity in graph.entities} == {"Ann Mason"}
