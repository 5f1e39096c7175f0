"""Markers in a stream, cut at every position."""

from __future__ import annotations

import pytest

from footnote.answer.citation_styles import cite
from footnote.answer.stream_filters import MarkerFilter
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
}
FOOTNOTES = {
    "Blue [^bridge], old [^ghost] and [^tower#000; bridge].": "Blue [^bridge], old and [^tower] [^bridge].",
    "Old [^tower]\n\n[^tower]: The definition": "Old [^tower]\n\n[^tower]: The definition",
}
CASES = [("numbered", *case) for case in NUMBERED.items()] + [("footnote", *case) for case in FOOTNOTES.items()]


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
