"""Subtitles and transcripts of meetings, as Teams, Zoom, video sites and subtitle editors write them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from footnote.ingest.parse import parse
from footnote.types import Parsed

TEAMS = """WEBVTT

3f2a9c/12-0
00:00:03.420 --> 00:00:05.110
<v Ann Lee>Hello everyone.</v>

3f2a9c/13-0
00:00:05.200 --> 00:00:09.110
<v Ann Lee>The budget for 2027 is
4,000 euros &amp; no more.</v>

NOTE Checked by hand.

3f2a9c/14-0
00:06:01.200 --> 00:06:09.110
<v.loud Bob>Who orders the coffee?</v>

01:02:10.200 --> 01:02:12.110
<v Ann Lee>I do.</v> <v Bob>Fine.</v>
"""
ZOOM = """WEBVTT

1
00:00:01.000 --> 00:00:04.000
Jürgen Groß: Der Drucker steht

2
00:00:04.000 --> 00:00:06.000
Jürgen Groß: jetzt im Flur.

3
00:00:06.500 --> 00:00:08.000
Mia: Danke!
"""
SUBRIP = """\ufeff1
00:00:01,000 --> 00:00:04,000
<i>커피 기계는</i>
{\\an8}금요일에 청소합니다.

2
00:00:09,500 --> 00:00:12,000
다음 주제입니다.
""".replace("\n", "\r\n")
SCROLLING = """WEBVTT
Kind: captions
Language: en

STYLE
::cue { color: red }

00:00:00.000 --> 00:00:02.000 align:start position:0%
so<00:00:00.400><c> we</c> begin

00:00:02.000 --> 00:00:02.010
so we begin
\x20
00:00:02.010 --> 00:00:04.000
so we begin
with<00:00:02.400><c> the tour</c>
"""


def read(text: str, file_name: str = "meeting.vtt") -> Parsed:
    return parse(text.encode(), file_name)


def told(parsed: Parsed) -> list[str]:
    return [f"{'#' * block.level} {block.text}".lstrip() for block in parsed.blocks]


@pytest.mark.parametrize(
    ("text", "file_name", "expected"),
    [
        (
            TEAMS,
            "Weekly meeting.vtt",
            [
                "## 0:00:03",
                "Ann Lee: Hello everyone. The budget for 2027 is 4,000 euros & no more.",
                "## 0:06:01",
                "Bob: Who orders the coffee?",
                "## 1:02:10",
                "Ann Lee: I do.",
                "Bob: Fine.",
            ],
        ),
        (ZOOM, "Besprechung.vtt", ["Jürgen Groß: Der Drucker steht jetzt im Flur.", "Mia: Danke!"]),
        (SUBRIP, "film.SRT", ["커피 기계는 금요일에 청소합니다.", "다음 주제입니다."]),
        (SCROLLING, "tour.vtt", ["so we begin with the tour"]),
    ],
    ids=["Teams", "Zoom", "SubRip with a pause", "captions that scroll"],
)
def test_speech_is_read_without_times_and_tags(text: str, file_name: str, expected: list[str]) -> None:
    parsed = read(text, file_name)
    assert told(parsed) == expected
    assert parsed.format == "subtitles"


def test_a_long_speech_is_divided_after_sentences_and_names_its_speaker_each_time() -> None:
    said = [f"This is sentence number {n} of the speech." for n in range(100)]
    cues = "\n\n".join(f"00:{n // 60:02}:{n % 60:02}.000 --> 00:{n // 60:02}:{n % 60:02}.900\n<v Ann>{each}" for n, each in enumerate(said))
    parsed = read(f"WEBVTT\n\n{cues}")
    texts = [block.text.removeprefix("Ann: ") for block in parsed.blocks]
    assert " ".join(texts) == " ".join(said)
    assert all(block.text.startswith("Ann: ") and 500 <= len(block.text) < 600 for block in parsed.blocks[:-1])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            read(
                "WEBVTT\n\n04:58.000 --> 04:59.900\nThe ferry leaves\n\n05:00.000 --> 05:02.000\nat eight.\n\n05:08.000 --> 05:09.000\nBye."
            ),
            ["## 0:04:58", "The ferry leaves at eight.", "## 0:05:08", "Bye."],
            id="a sentence across the end of five minutes is not divided",
        ),
        pytest.param(
            read("1\n00:00:01,000 --> 00:00:04,000\nOne.\n\nTwo.\n\n2\n00:00:04,500 --> 00:00:05,000\nThree.", "a.srt"),
            ["One. Two. Three."],
            id="an empty line inside a cue loses nothing",
        ),
        pytest.param(read("One.\n\nTwo.", "a.srt"), ["One.", "Two."], id="a file without times is plain text"),
    ],
)
def test_cues_become_text(given: Any, expected: Any) -> None:
    assert told(given) == expected


def test_tags_that_never_end_take_no_longer() -> None:
    for part in ("<v ", "<v" + " " * 100, "{\\", "<c", "</", "a: "):
        began = time.process_time()
        read("1\n00:00:01,000 --> 00:00:04,000\nx " + part * (1_000_000 // len(part)), "a.srt")
        assert time.process_time() - began < 5


STYLED = """[Script Info]
Title: Ferry

[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:04.50,0:00:06.00,Default,Ida,0,0,0,,At nine, {\\i1}not{\\i0}\\Nat eight.
Comment: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,Check this line.
Dialogue: 0,0:00:01.00,0:00:04.00,Default,Ole,0,0,0,,When does{to check} it\\hleave?
Dialogue: 1,0:00:01.00,0:00:04.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}

[Fonts]
fontname: x
"""


@pytest.mark.parametrize("name", ["a.ass", "a.ssa"])
def test_styled_subtitles_are_read_by_speaker_and_time(name: str) -> None:
    assert told(read(STYLED, name)) == ["Ole: When does it leave?", "Ida: At nine, not at eight."]
