"""Modules of the page that turn text into something else: spreadsheets and events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

Open = Callable[..., Any]

CSV = "async rows => (await import('/web/csv.js')).toCsv(rows)"
PARTS = """async parts => {
  const { parseEvents } = await import('/web/sse.js')
  const body = new ReadableStream({
    start(stream) {
      for (const part of parts) stream.enqueue(new TextEncoder().encode(part))
      stream.close()
    },
  })
  const found = []
  for await (const { id, event } of parseEvents(body)) found.push([id, event])
  return found
}"""


def test_no_cell_is_a_formula_whatever_it_begins_with(open_screen: Open, server: str) -> None:
    cells = ["=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "1-1", "a=b", None, 7]
    made = open_screen(server).page.evaluate(CSV, [cells])
    assert made == "\ufeff'=1+1,'+1,'-1+1,'@SUM(A1),'\t=1,\"'\r=1\",1-1,a=b,,7\r\n"


def test_cells_with_commas_quotes_and_lines_are_quoted(open_screen: Open, server: str) -> None:
    cells = open_screen(server).page.evaluate(CSV, [["a,b", 'say "so"', "one\ntwo"], [None, 0, False]])
    assert cells == '\ufeff"a,b","say ""so""","one\ntwo"\r\n,0,false\r\n'


@pytest.mark.parametrize(
    ("parts", "events"),
    [
        (['id: 1\ndata: {"a": 1}\n\n'], [["1", {"a": 1}]]),
        (['id: 1\r\ndata: {"a": 1}\r\n\r\n'], [["1", {"a": 1}]]),
        (['data: {"a": 1}\n', "\n", 'data:{"b": 2}\n\ndata: {"c"'], [[None, {"a": 1}], [None, {"b": 2}]]),
        ([": ping\n\n", 'id: 7\ndata: {"a":\ndata:  "x  y"}\n\n'], [["7", {"a": "x  y"}]]),
        (['data: "  two spaces"\n\n'], [[None, "  two spaces"]]),
    ],
    ids=["lines", "carriage returns", "cut anywhere", "several lines", "spaces"],
)
def test_events_are_read_however_their_lines_end_and_arrive(
    open_screen: Open, server: str, parts: Sequence[str], events: list[list[Any]]
) -> None:
    assert open_screen(server).page.evaluate(PARTS, list(parts)) == events
