"""Markers in a stream, cut at every position."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from footnote.answer.citation_styles import cite
from footnote.answer.sources_used import SourcesFilter
from footnote.answer.stream_filters import MarkerFilter, ThinkFilter, filter_for
from tests.fakes import make_hit

HITS = (make_hit("The bridge is blue.", "bridge"), make_hit("It was painted.", "bridge", 1), make_hit("The tower is old.", "tower"))

NUMBERED = {
    "The tower is old [3]. The bridge is blue [1]. Old [3].": "The tower is old [1]. The bridge is blue [2]. Old [1].",
    "Old [9], blue[2; 1] and [0] so [1, 7].": "Old, blue[1][2] and so [2].",
    "\n See [1](https://example.org) or [2024] [a [3]. \n": "See [1](https://example.org) or [2024] [a [1].",
    "🙂 옛날 [3][3]": "🙂 옛날 [1][1]",
    "[2] starts it. [8]\n": "[1] starts it.",
    "Old [": "Old [",
    " \n": "",
    "Read `a[1]`[1] and ``b[1]`` [3], [2]`c`": "Read `a[1]`[1] and ``b[1]`` [2], [3]`c`",
    "So [3]:\n\n- ```c\n  a = b[1] + [9];\n  ```\n- old [3]\n\n~~~\nx[1] [": (
        "So [1]:\n\n- ```c\n  a = b[1] + [9];\n  ```\n- old [1]\n\n~~~\nx[1] ["
    ),
    "Old 【3】【1†L2】, blue [2-9] and [Dokument 1], [문서 3]": "Old [1][2], blue [3] [1] and [2], [1]",
    "(Source 1)(Source 2) (see [1](x) ([Documents 1–2]": "[1][2] (see [1](x) ([1][2]",
}
FOOTNOTES = {
    "Run `grep '[^0-9]'` on [^tower] it:\n\n```sh\nsed 's/[^a-z]//g'\n```\n [^ghost] [^bridge]": (
        "Run `grep '[^0-9]'` on [^tower] it:\n\n```sh\nsed 's/[^a-z]//g'\n```\n [^bridge]"
    ),
    "An `open [^0-9] one [^tower]\n\nand [^bridge] `more [^0-9]`.": "An `open one [^tower]\n\nand [^bridge] `more [^0-9]`.",
    "Blue [^bridge], old [^ghost] and [^tower#000; bridge].": "Blue [^bridge], old and [^tower] [^bridge].",
    "Old [^tower]\n\n[^tower]: The definition": "Old [^tower]\n\n[^tower]: The definition",
}
SOURCES = {
    "Old [source 3]. Blue (Source 1). Old [SOURCES 3, 1].": "Old [Source 1]. Blue [Source 2]. Old [Source 1] [Source 2].",
    "Old [Quelle 3], 옛날 [출처 3](no) [Source 1; Source 9] [1].": "Old [Source 1], 옛날 [출처 3](no) [Source 2] [Source 2].",
    "In [1, 2) and (1) and (see the sources) or (source": "In [1, 2) and (1) and (see the sources) or (source",
}
BY_PLACE = {"Old [3]. Blue [1], old [3] [7].": "Old [3]. Blue [1], old [3]."}
CASES = [("source", *case) for case in SOURCES.items()] + [("numbered_by_place", *case) for case in BY_PLACE.items()]
CASES += [("numbered", *case) for case in NUMBERED.items()] + [("footnote", *case) for case in FOOTNOTES.items()]


@pytest.mark.parametrize(("style", "written", "shown"), CASES)
def test_wherever_a_stream_is_cut_its_markers_are_those_of_the_whole(style: str, written: str, shown: str) -> None:
    assert cite(written.strip(), HITS, style, "en")[0].rstrip() == shown
    for cut in range(len(written) + 1):
        markers = MarkerFilter(HITS, style)
        assert markers.feed(written[:cut]) + markers.feed(written[cut:]) + markers.flush() == shown, cut
    markers = MarkerFilter(HITS, style)
    assert "".join(map(markers.feed, written)) + markers.flush() == shown


def test_only_what_may_become_a_marker_is_held_back() -> None:
    markers = MarkerFilter(HITS, "numbered")
    assert [markers.feed(piece) for piece in ("It is", " old", " [", "3", "]", ".", " [no marker", " it goes on" * 13)] == [
        "It is",
        " old",
        "",
        "",
        "",
        " [1].",
        "",
        " [no marker" + " it goes on" * 13,
    ]


@pytest.mark.timeout(30)  # a quadratic pattern takes half an hour, a linear one a fifth of a second
def test_white_space_without_end_takes_no_more_than_linear_time() -> None:
    markers = MarkerFilter(HITS, "plain")
    assert [markers.feed("It is"), *(markers.feed(" " * 400) for _ in range(500))] == ["It is"] + [""] * 500
    assert markers.feed("blue.") == " " * 200_000 + "blue."


def test_each_style_has_the_filter_that_takes_its_markers_out() -> None:
    assert isinstance(filter_for("references", HITS), SourcesFilter)
    assert isinstance(filter_for("footnote", HITS), MarkerFilter)
    plain = filter_for("plain", HITS)
    assert plain.feed("It is [1] and [^bridge].\nSOURCES_USED: 1") + plain.flush() == "It is [1] and [^bridge].\nSOURCES_USED: 1"


# --- thinking ------------------------------------------------------------------------------------

THOUGHTS = [
    ("<think>Hm.\n</think>\nIt is blue.", "Hm.\n", "\nIt is blue."),
    ("It <think>a < b</think>is<think>so</think> blue", "a < bso", "It is blue"),
    ("<think>It never ends, </thin", "It never ends, </thin", ""),
    ("<think>one<think>two</think>three", "onetwo", "three"),
    ("It is <thin> and <b>blue</b> <", "", "It is <thin> and <b>blue</b> <"),
    ("<think></think>", "", ""),
]


def filtered(pieces: Sequence[str]) -> tuple[str, str, bool]:
    thoughts = ThinkFilter()
    both = [*map(thoughts.feed, pieces), thoughts.flush()]
    return "".join(thought for thought, _ in both), "".join(said for _, said in both), thoughts.unopened


@pytest.mark.parametrize(("written", "thought", "said"), THOUGHTS)
def test_thinking_is_separated_from_the_answer_wherever_the_stream_is_cut(written: str, thought: str, said: str) -> None:
    assert filtered(written) == (thought, said, False)
    for first in range(len(written) + 1):
        for second in range(first, len(written) + 1):
            assert filtered((written[:first], written[first:second], written[second:])) == (thought, said, False)


def test_an_end_of_thinking_without_a_beginning_is_noticed_and_not_shown() -> None:
    for cut in range(len("Hm.</think>Blue.") + 1):
        assert filtered(("Hm.</think>Blue."[:cut], "Hm.</think>Blue."[cut:])) == ("", "Hm.Blue.", True)


def test_only_what_may_become_a_tag_is_held_back() -> None:
    thoughts = ThinkFilter()
    assert [thoughts.feed(piece)[1] for piece in ("It is", " <", "b", "> <thin", "ner")] == ["It is", " ", "<b", "> ", "<thinner"]
