"""Markers in an answer's text: written, parsed, checked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from footnote.answer.citation_styles import STYLES, cite
from footnote.types import Citation, Hit, Part
from tests.fakes import make_chunk, make_document, make_hit

BRIDGE = make_hit("The bridge was built in 1894. Its architect was Horace Jones.", "bridge")
REPAIR = make_hit("The bridge was painted blue in 1977. Before that it was brown.", "bridge", 1)
TOWER = make_hit("The tower is older. It was finished in 1100.", "tower")
HITS = (BRIDGE, REPAIR, TOWER)


def cited(text: str, style: str = "numbered", hits: Sequence[Hit] = HITS) -> tuple[str, list[tuple[int, Hit, str]]]:
    """The text, and each citation with the text at its spans; every span must hold its own marker."""
    out, citations = cite(text, hits, style, "en")
    for citation in citations:
        for start, end in citation.spans:
            assert out[start:end] == STYLES[style].write(citation.number, citation.hit), (out, citation)
    return out, [(citation.number, citation.hit, citation.snippet) for citation in citations]


def test_numbers_are_given_by_first_appearance() -> None:
    text, citations = cited("The tower is older [3]. The bridge was built in 1894 [1]. It is old [3].")
    assert text == "The tower is older [1]. The bridge was built in 1894 [2]. It is old [1]."
    assert citations == [(1, TOWER, "The tower is older."), (2, BRIDGE, "The bridge was built in 1894.")]


def test_spans_say_where_the_markers_stand_in_code_points() -> None:
    text, citations = cite("🙂 Old [3], 𝒷lue[2].\nOld [3]", HITS, "numbered", "en")
    assert text == "🙂 Old [1], 𝒷lue[2].\nOld [1]"
    assert [(citation.number, citation.spans) for citation in citations] == [(1, ((6, 9), (24, 27))), (2, ((15, 18),))]


def test_each_marker_has_the_sentence_that_supports_the_text_before_it() -> None:
    text = "Horace Jones was its architect [1]. The bridge was built in 1894 [1]. The tower is older [3]."
    _, citations = cite(text, HITS, "numbered", "en")
    quoted = [[citation.hit.chunk.text[start:end] for start, end in citation.bounds] for citation in citations]
    assert quoted == [["Its architect was Horace Jones.", "The bridge was built in 1894."], ["The tower is older."]]
    assert [len(citation.spans) for citation in citations] == [2, 1]
    assert citations[0].snippet == "Its architect was Horace Jones."


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Old [9].", "Old."),
        ("Old [0] and blue [3].", "Old and blue [1]."),
        ("Old[9].", "Old."),
        ("Old [1, 3].", "Old [1] [2]."),
        ("Old[3;9; 1].", "Old[1][2]."),
        ("Old [8,9].", "Old."),
        ("Old [2][2].", "Old [1][1]."),
        ("See [1](https://example.org).", "See [1](https://example.org)."),
        ("In [2024] and [a] and [^bridge] and [ 1 ].", "In [2024] and [a] and [^bridge] and [ 1 ]."),
        ("Old [1-3].", "Old [1] [2] [3]."),
        ("Old[2–9], blue [1 - 2; 3].", "Old[1][2], blue [3] [1] [2]."),
        ("Old [4-9], [3-1] and [0-9] in [2019-2024].", "Old, and [0-9] in [2019-2024]."),
        ("Old 【3】, blue【1, 2】 and 【9】【1†L5-L8】 【a】.", "Old [1], blue[2][3] and[2] 【a】."),
        ("Old [Document 3], blue [documents 1, 2].", "Old [1], blue [2] [3]."),
        ("Alt [Dokument 3], blau [Dokumente 1–2].", "Alt [1], blau [2] [3]."),
        ("옛날 [문서 3], 파랑 [문서1] 【문서 9】.", "옛날 [1], 파랑 [2]."),
        ("Old (Source 3), blue (Quelle 1, Dokument 2), (1) and (3 sources).", "Old [1], blue [2] [3], (1) and (3 sources)."),
        ("[Document](https://example.org) [Document A] [my document 1]", "[Document](https://example.org) [Document A] [my document 1]"),
        ("[2] starts it", "[1] starts it"),
        ("", ""),
        ("No marker.", "No marker."),
    ],
)
def test_a_numbered_marker_that_names_no_passage_is_removed(written: str, kept: str) -> None:
    assert cited(written)[0] == kept


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Old [^tower].", "Old [^tower]."),
        ("`grep '[^0-9]'` [^tower].", "`grep '[^0-9]'` [^tower]."),
        ("```sh\ngrep -E '[^0-9]+' a\n```\nOld [^tower].", "```sh\ngrep -E '[^0-9]+' a\n```\nOld [^tower]."),
        ("Old [^ghost] and [^tower, ghost].", "Old and [^tower]."),
        ("Old [^tower#000; bridge].", "Old [^tower] [^bridge]."),
        ("Old [^tower]\n\n[^tower]: The definition", "Old [^tower]\n\n[^tower]: The definition"),
        ("Old [3] and [^] and [tower].", "Old [3] and [^] and [tower]."),
    ],
)
def test_a_footnote_marker_that_names_no_document_is_removed(written: str, kept: str) -> None:
    assert cited(written, "footnote")[0] == kept


def test_a_marker_of_a_document_means_the_passage_that_supports_its_sentence_best() -> None:
    text, citations = cited("It was painted blue in 1977 [^bridge]. Horace Jones was its architect. [^bridge]", "footnote")
    assert text == "It was painted blue in 1977 [^bridge]. Horace Jones was its architect. [^bridge]"
    assert citations == [(1, REPAIR, "The bridge was painted blue in 1977."), (2, BRIDGE, "Its architect was Horace Jones.")]


def test_a_marker_without_a_sentence_before_it_still_names_its_passage() -> None:
    assert cited("[^bridge]", "footnote")[1] == [(1, BRIDGE, "The bridge was built in 1894.")]


@pytest.mark.parametrize("style", ["footnote", "numbered"])
def test_a_style_reads_back_the_markers_it_writes(style: str) -> None:
    text = " ".join(f"{hit.chunk.text} {STYLES[style].write(number, hit)}" for number, hit in enumerate(HITS, start=1))
    out, citations = cited(text, style)
    assert out == text
    assert [(number, hit) for number, hit, _ in citations] == [(1, BRIDGE), (2, REPAIR), (3, TOWER)]


def test_an_answer_without_passages_has_no_citations() -> None:
    assert cite("Old [1].", (), "numbered", "en") == ("Old.", ())
    assert cite("Old.", HITS, "numbered", "en") == ("Old.", ())
    assert isinstance(cite("Old [1].", HITS, "numbered", "en")[1][0], Citation)


# --- one source for one page -------------------------------------------------------------------


def on_page(page: int, text: str, doc_id: str = "a", ordinal: int = 0) -> Hit:
    return Hit(make_chunk(make_document(doc_id, title="Rules"), text, ordinal, page=page), 1.0)


ON_3, ALSO_ON_3 = on_page(3, "It was built in 1894."), on_page(3, "Dogs pay a crown.", ordinal=1)
ON_4, TWIN = on_page(4, "It is blue.", ordinal=2), on_page(3, "Cats pay two.", "b")
PAGES = (ON_3, ALSO_ON_3, ON_4, TWIN)


@pytest.mark.parametrize(
    ("written", "kept", "sources"),
    [
        ("Built in 1894 [1]. Dogs pay [2]. Blue [3].", "Built in 1894 [1]. Dogs pay [1]. Blue [2].", [(1, ON_3), (2, ON_4)]),
        ("Blue [3]. Dogs and cats pay [2, 4].", "Blue [1]. Dogs and cats pay [2].", [(1, ON_4), (2, ALSO_ON_3)]),
        ("Pay [2][4] [1], blue [9][3].", "Pay [1], blue[2].", [(1, ALSO_ON_3), (2, ON_4)]),
        ("Nothing [9].", "Nothing.", []),
    ],
)
def test_passages_of_one_title_and_page_are_one_source(written: str, kept: str, sources: list[tuple[int, Hit]]) -> None:
    text, citations = cited(written, "numbered_by_page", PAGES)
    assert (text, [(number, hit) for number, hit, _ in citations]) == (kept, sources)


RULES = "Dogs pay a crown. Cats pay two of them."
OVER_TWO = Hit(make_chunk(make_document("a", title="Rules"), RULES, page=3, parts=(Part(0, 3, 0, 0), Part(18, 4, 1, 0))), 1.0)


@pytest.mark.parametrize("style", ["numbered", "numbered_by_page", "footnote", "references"])
def test_a_citation_names_the_page_of_its_sentence(style: str) -> None:
    """The passage begins on page 3 and ends on page 4."""
    marker = STYLES[style].write(1, OVER_TWO) or "\nSOURCES_USED: 1"
    claims = ("Dogs pay a crown.", "Cats pay two of them.", "Dogs pay a crown, cats pay two.")  # the last begins on page 3
    assert [cite(f"{claim} {marker}", (OVER_TWO,), style, "en")[1][0].page for claim in claims] == [3, 4, 3]


def test_sentences_of_one_passage_on_two_pages_are_two_sources_where_pages_are() -> None:
    _, citations = cite("Dogs pay a crown [1]. Blue [2].", (OVER_TWO, on_page(4, "It is blue.", ordinal=2)), "numbered_by_page", "en")
    assert [(citation.number, citation.page) for citation in citations] == [(1, 3), (2, 4)]
    _, citations = cite("Cats pay two of them [1]. Blue [2].", (OVER_TWO, on_page(4, "It is blue.", ordinal=2)), "numbered_by_page", "en")
    assert [(citation.number, citation.page) for citation in citations] == [(1, 4)]


# --- sources named at the end ------------------------------------------------------------------


def test_references_are_the_passages_whose_numbers_the_last_line_names() -> None:
    text, citations = cite("The tower is older. It was painted in 1977.\n\nSOURCES_USED: 3, 2, 9, 0", HITS, "references", "en")
    assert text == "The tower is older. It was painted in 1977."
    assert [(citation.number, citation.hit, citation.snippet, citation.spans) for citation in citations] == [
        (3, TOWER, "The tower is older.", ()),
        (2, REPAIR, "The bridge was painted blue in 1977.", ()),
    ]


@pytest.mark.parametrize("ending", ["", " SOURCES_USED: 4, 2024", "\nSOURCES_USED: none"])
def test_without_a_number_that_exists_there_are_no_references(ending: str) -> None:
    assert cite(f"It is old.{ending}", HITS, "references", "en")[1] == ()


IN_CODE = [
    "Read `data[1]` first, then ``row[0]`[2]``",
    "```c\na[i] = b[1] + c[12] + d[0]; // [Source 1] (Source 2) 【3】 [1-3] [Dokument 1] [^bridge]\n```",
    "1. So:\n\n   ~~~~\n   ~~~\n   x[1] [^tower]\n   ~~~~",
    "> ````\n> ```\n> x[2] [^ghost]\n> ````",
    "```\nSOURCES_USED = [1]\nprint(f'SOURCES_USED: 2')\n```",
    "Set `SOURCES_USED: 1 # [2]`, or `(Source 1)`",
]


@pytest.mark.parametrize("style", list(STYLES))
@pytest.mark.parametrize("code", IN_CODE)
def test_in_code_nothing_is_a_marker_in_any_style(code: str, style: str) -> None:
    assert cite(f"{code}\n\nThat is all.", HITS, style, "en") == (f"{code}\n\nThat is all.", ())
    assert cite(f"So:\n\n{code}", HITS, style, "en") == (f"So:\n\n{code}", ())


@pytest.mark.parametrize("style", ["numbered", "numbered_by_page", "numbered_by_place", "source"])
@pytest.mark.parametrize("code", IN_CODE)
def test_beside_code_markers_are_what_they_are(code: str, style: str) -> None:
    text, citations = cited(f"Old [1]:\n\n{code}\n\nOld [Dokument 1].", style)
    marker = STYLES[style].write(1, BRIDGE)
    assert (text, [hit for _, hit, _ in citations]) == (f"Old {marker}:\n\n{code}\n\nOld {marker}.", [BRIDGE])


def test_a_plain_text_is_left_as_it_is() -> None:
    assert cite("Old [1], SOURCES_USED: 1", HITS, "plain", "en") == ("Old [1], SOURCES_USED: 1", ())
