"""reStructuredText of docutils and Sphinx."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from footnote.ingest.parse import parse
from footnote.ingest.parse.rst import LONGEST_LINE
from footnote.types import Parsed

GUIDE = """:orphan:
:tocdepth: 2

.. _coffee:

==============
Coffee machine
==============

.. toctree::
   :maxdepth: 2

   cleaning

.. note::
   The machine is :strong:`descaled` on Fridays, see :ref:`cleaning the machine <cleaning>` and :ref:`spare-parts`.

.. versionadded:: 3.2
   A second grinder.

Press :guilabel:`Start`, then :menuselection:`Menu --> Clean`. It calls :func:`~coffee.machine.start`.
See :pep:`8`, :doc:`/guides/tea-time`, :option:`python:--with-lto`,
|version| and the `old manual`_.

Cleaning
========

#. Press the *red* button.
#. Wait for ``5`` minutes.

.. code-block:: console
   :caption: By hand
   :emphasize-lines: 1

   $ coffee --clean

Spare parts
-----------

.. list-table:: Prices
   :header-rows: 1
   :class: wide
   :name: prices
   :unknown: yes

   * - Part
     - Price
   * - Filter
     - 12 EUR

.. tab:: Linux

   Use ``apt``.

.. seealso:: The page about tea.

.. this is a comment
"""


def read(text: str, file_name: str = "guide.rst") -> Parsed:
    return parse(text.encode(), file_name)


def told(parsed: Parsed) -> list[str]:
    return [f"{'#' * block.level} {block.text}".lstrip() for block in parsed.blocks]


def test_a_page_is_read_without_its_marks() -> None:
    parsed = read(GUIDE)
    assert (parsed.title, parsed.format) == ("Coffee machine", "rst")
    assert told(parsed) == [
        "# Coffee machine",
        "The machine is descaled on Fridays, see cleaning the machine and spare parts.",
        "Added in version 3.2 A second grinder.",
        "Press Start, then Menu → Clean. It calls start. See PEP 8, tea time, --with-lto, |version| and the old manual.",
        "## Cleaning",
        "1. Press the red button.\n2. Wait for 5 minutes.",
        "$ coffee --clean",
        "### Spare parts",
        "Prices",
        "| Part | Price |\n| --- | --- |\n| Filter | 12 EUR |",
        "Linux",
        "Use apt.",
        "The page about tea.",
    ]


@pytest.mark.parametrize(
    ("text", "title", "last"),
    [
        ("Kaffee\n======\n\n.. hinweis::\n   Freitags wird *entkalkt*.\n", "Kaffee", "Freitags wird entkalkt."),
        ("커피 기계\n=========\n\n.. note:: 금요일에 **청소** 합니다.\n", "커피 기계", "금요일에 청소 합니다."),
    ],
    ids=["de", "ko"],
)
def test_other_languages(text: str, title: str, last: str) -> None:
    parsed = read(text)
    assert (parsed.title, told(parsed)[-1]) == (title, last)


def test_no_file_of_the_machine_and_no_raw_html_gets_in(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret words")
    ways = "include", "literalinclude", "csv-table:: x\n   :file:", "raw:: html\n   :file:"
    text = "\n\n".join(f".. {way}{'' if ':' in way else '::'} {secret}" for way in ways)
    raw = ".. raw:: html\n\n   <script>alert(1)</script>"
    parsed = read(f"Start.\n\n{text}\n\n{raw}\n\nThe end.")
    assert told(parsed) == ["Start.", "The end."]


def test_mistakes_lose_no_text() -> None:
    text = "Title\n==\n\n*open, :unknown:`role`, `link`_\n\n  indented\nback\n\n.. unknown:: with words\n   :option: 1\n\n   and content\n"
    found = "\n".join(told(read(text)))
    for words in ("Title", "*open, role, link", "indented", "back", "with words", "and content"):
        assert words in found


def test_lists_nested_too_deep_are_read_as_plain_text() -> None:
    depth = 400
    text = "\n".join(f"{' ' * 2 * level}* - {level}" for level in range(depth))
    assert str(depth - 1) in "\n".join(told(read(text)))


@pytest.mark.sample(3)
@pytest.mark.parametrize("part", ["`", "*", "|", ":a:`", "[1]_ ", "`a <", "x_ ", ".. a:: b\n", "+---", "=== ", "* "])
def test_marks_that_never_end_are_read_in_time(part: str) -> None:
    began = time.process_time()
    for size in (LONGEST_LINE - 10, 1_000_000):
        parsed = read("Start.\n\nx " + part * (size // len(part)) + "\n\nThe end.")
        assert told(parsed)[0] == "Start."
    assert time.process_time() - began < 20
