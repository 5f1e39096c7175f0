"""The marker of the sources that were used, cut at every position."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from footnote.answer.sources_used import SourcesFilter

CASES = [
    ("It is blue. SOURCES_USED: 1, 3", "It is blue.", (1, 3)),
    ("It is blue.\n\nsources_used: [1], [3], [1]\n", "It is blue.", (1, 3)),
    ("It is **blue**\n**SOURCES_USED:** 3,1", "It is **blue**", (3, 1)),
    ("It is **blue** **Sources_Used**：1 and 3.", "It is **blue**", (1, 3)),
    ("It is **blue**\nSOURCES_USED: 1", "It is **blue**", (1,)),
    ("Es ist blau.\r\nSOURCES_USED : 1 und [12]", "Es ist blau.", (1, 12)),
    ("파란색입니다.SOURCES_USED：1 및 2", "파란색입니다.", (1, 2)),
    ("Blue.\n```\nSOURCES_USED: 3; 1\n```\n", "Blue.", (3, 1)),
    ("Blue.\n\n### SOURCES_USED:\n2\n", "Blue.", (2,)),
    ("Blue. [SOURCES_USED: 1]", "Blue.", (1,)),
    ("Blue. SOURCES\\_USED: Reference 1, Reference 2", "Blue.", (1, 2)),
    ("Blue. SOURCES_USED: 1, 3 And it is new.", "Blue. And it is new.", (1, 3)),
    ("Blue. SOURCES_USED: 1, 3\n\n2 doors are red.", "Blue.\n\n2 doors are red.", (1, 3)),
    ("Blue SOURCES_USED: 1 or new SOURCES_USED: 2", "Blue or new", (1, 2)),
    ("SOURCES_USED: 1\nBlue.", "Blue.", (1,)),
    ("SOURCES_USED: 7", "", (7,)),
    ("Blue. SOURCES_USED: none", "Blue.", ()),
    ("Blue. SOURCES_USED:", "Blue.", ()),
    ("Blue. SOURCES_USED: 2024", "Blue. 2024", ()),
    ("Blue. SOURCES_USED", "Blue.", ()),
    ("Blue. **SOURCES_US", "Blue.", ()),
    ("The sources used here are old. Their sources", "The sources used here are old. Their sources", ()),
    ("Sources used: two. It was s", "Sources used: two. It was s", ()),
    (" \n Blue * [a] > **b**  \n", "Blue * [a] > **b**", ()),
    ("", "", ()),
    ("Blue. SOURCES_USED: 1-3", "Blue.", (1, 2, 3)),
    ("Blue. SOURCES_USED: 1–3, 5 — 6", "Blue.", (1, 2, 3, 5, 6)),
    ("Blau.\nSOURCES_USED: Dokument 1, Dokumente 3, [Quelle 4]", "Blau.", (1, 3, 4)),
    ("파랑.\nSOURCES_USED: 문서 1, 【3】, 출처 4", "파랑.", (1, 3, 4)),
    ("Blue. SOURCES_USED: 1 Documents are old.", "Blue. Documents are old.", (1,)),
    ("Blue `SOURCES_USED: 1, 3`", "Blue", (1, 3)),
    ("Blue SOURCES_USED: `1`, `3`\n", "Blue", (1, 3)),
    ("Blue.\n\n~~~\nsources_used: 1\n~~~ \n\n", "Blue.", (1,)),
    ("~~~\nsources_used: 1\n~~~\nBlue.", "~~~\nsources_used: 1\n~~~\nBlue.", ()),
    ("The line `SOURCES_USED: 1` ends it.", "The line `SOURCES_USED: 1` ends it.", ()),
    ("```\nSOURCES_USED: 1\nsize = 2\n```\nBlue.", "```\nSOURCES_USED: 1\nsize = 2\n```\nBlue.", ()),
    ("```py\nSOURCES_USED = [1]\n```\nBlue.", "```py\nSOURCES_USED = [1]\n```\nBlue.", ()),
    ("Set `sources_used: 1 MB` or `s`.", "Set `sources_used: 1 MB` or `s`.", ()),
    ("Blue. SOURCES_USED: 3\n\n```\nx[1]\n```", "Blue.\n\n```\nx[1]\n```", (3,)),
]


def filtered(pieces: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    sources = SourcesFilter()
    shown = "".join(map(sources.feed, pieces)) + sources.flush()
    return shown, sources.numbers


@pytest.mark.sample(8)
@pytest.mark.parametrize(("written", "shown", "numbers"), CASES)
def test_wherever_a_stream_is_cut_no_part_of_the_marker_is_shown(written: str, shown: str, numbers: tuple[int, ...]) -> None:
    assert filtered(list(written)) == (shown, numbers)
    for first in range(len(written) + 1):
        for second in range(first, len(written) + 1):
            pieces = written[:first], written[first:second], written[second:]
            assert filtered(pieces) == (shown, numbers), pieces


@pytest.mark.parametrize("written", [*(case[0] for case in CASES), "Blue." + " " * 50 + "\n" * 50 + "so", "**" * 40 + "SOURCES_USED"])
def test_no_more_than_30_characters_wait_for_what_follows(written: str) -> None:
    head = written.lower().replace("\\", "").partition("sources_used")[0]
    sources, shown = SourcesFilter(), ""
    for fed, letter in enumerate(head, start=1):
        shown += sources.feed(letter)
        assert fed - len(shown) <= 30 + len(head) - len(head.lstrip())


def test_white_space_far_before_the_marker_is_shown() -> None:
    assert filtered(["Blue." + "\n" * 10 + "SOURCES_USED: 1"]) == ("Blue." + "\n" * 4, (1,))


def test_a_list_that_never_ends_is_a_text_from_some_point_on() -> None:
    shown, numbers = filtered("Blue. SOURCES_USED: " + "1, " * 1000)
    assert numbers == (1,)
    assert (shown[:11], len(shown)) == ("Blue. 1, 1,", 2507)
    assert filtered(["Blue. SOURCES_USED: " + "1, " * 1000]) == (shown, numbers)
