"""PDF: lists side by side."""

from __future__ import annotations

from footnote.ingest.parse import parse
from tests.footnote.ingest.pdf_files import Dot, Drawing, Text, make_pdf


def kinds_and_texts(*page: Drawing) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse(make_pdf([page]), "a.pdf").blocks]


LEFT = [Text(60, 700, "BIRDS"), *(Text(74, 688 - 12 * i, name) for i, name in enumerate(("Gull", "Heron", "Tern", "Auk", "Skua", "Swan")))]
LEFT += [Text(60, 616, "FISH"), Text(74, 604, "Cod"), Text(74, 592, "Ling"), Text(74, 580, "Hake"), Text(74, 568, "Plaice")]
RIGHT = [Text(320, 712, "PLANTS OF"), Text(320, 700, "THE SHORE"), *(Text(334, 688 - 12 * i, f"{x}weed") for i, x in enumerate("ABCD"))]
RIGHT += [Text(320, 640, "SHELLS"), *(Text(334, 628 - 12 * i, f"{x} shell") for i, x in enumerate("ABCDEF"))]


def across(page: list[Text]) -> list[Text]:
    """As programs write that go from line to line."""
    return sorted(page, key=lambda text: (-text.y, text.x))


def test_two_indented_lists_side_by_side_are_read_one_after_the_other() -> None:
    text = "\n".join(text for _, text in kinds_and_texts(*across(LEFT + RIGHT)))
    order = ["BIRDS", "Gull", "Swan", "FISH", "Plaice", "PLANTS OF", "THE SHORE", "Aweed", "SHELLS", "F shell"]
    assert sorted(order, key=text.index) == order
    assert "PLANTS OF THE SHORE" in text.replace("\n", " ")


def test_lists_with_bullets_side_by_side_are_read_one_after_the_other() -> None:
    names = (("Gull", "Cod"), ("Heron", "Ling"), ("Tern", "Hake"))
    page: list[Drawing] = []
    for i, pair in enumerate(names):
        for x, name in zip((60, 320), pair, strict=True):
            page += [Dot(x, 703 - 14 * i), Text(x + 10, 700 - 14 * i, name)]
    assert kinds_and_texts(*page) == [("list", "- Gull\n- Heron\n- Tern\n- Cod\n- Ling\n- Hake")]


def test_a_table_of_two_columns_with_indented_labels_is_read_across() -> None:
    labels = [("Port", 60), ("Office", 74), ("Pier", 74), ("Yard", 74), ("Town", 60), ("Hall", 74), ("Mill", 74)]
    page = [
        text
        for i, (label, x) in enumerate(labels)
        for text in (Text(x, 700 - 12 * i, label), Text(320 if x == 60 else 334, 700 - 12 * i, f"open, {label}"))
    ]
    found = "\n".join(text for _, text in kinds_and_texts(*page)).replace("|", " ")
    assert found.index("open, Port") < found.index("Office")
