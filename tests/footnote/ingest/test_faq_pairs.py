"""Questions with their answers are found by markup, marks and headings, and each is a passage of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.ingest.faq_pairs import find_pairs, split_questions
from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.parse import parse
from footnote.ingest.parsed import pack, unpack
from footnote.ingest.prepare import prepare
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Block, Caller, Document, Parsed, Place, Request
from tests.fakes import work_all
from tests.turns import HELD

LONG = "The ferry carries forty cars and leaves from the old pier behind the market every morning. "
SHORT = "The ferry carries forty cars."
HELP = f"""# Ferry handbook

{SHORT}

## Questions

Q: How much is a ticket?
A: Five euros, children pay two.
Q: Where can I park?
A: Behind the pier, for free.

{SHORT}
"""


def p(*texts: str) -> tuple[Block, ...]:
    """Paragraphs; headings begin with #, lists with -."""
    kinds = {"#": "heading", "-": "list"}
    return tuple(
        Block(kinds.get(text[0], "paragraph"), text.lstrip("# "), text.count("#"))  # type: ignore[arg-type]
        for text in texts
    )


def found(blocks: tuple[Block, ...], lang: str = "en", max_tokens: int = 320) -> list[list[str]]:
    parsed = split_questions(Parsed(blocks))
    return [[block.text for block in parsed.blocks[pair.first : pair.end]] for pair in find_pairs(parsed, lang, max_tokens)]


def cut(text: str, name: str, fixed: FixedSize | None = None) -> list[tuple[str, str]]:
    document = Document("d", "", "default", name, "PROCESSING", "", 0, frozenset())
    chunks = prepare(document, parse(text.encode(), name), 320, fixed).chunks
    return [(chunk.content_type, chunk.text) for chunk in chunks if chunk.level == 2]


@pytest.mark.parametrize(
    ("blocks", "lang", "pairs"),
    [
        (p("Q: Is it free?\nA: Yes.\nQ: When?\nA: In May."), "en", [["Q: Is it free?\nA: Yes."], ["Q: When?\nA: In May."]]),
        (p("Q1. I lost my card.", "A1. Call us.", "# End"), "en", [["Q1. I lost my card.", "A1. Call us."]]),
        (p("Frage: Was kostet das?", "Antwort: Nichts."), "de", [["Frage: Was kostet das?", "Antwort: Nichts."]]),
        (p("F: Wo kann ich parken? A: Am Hafen."), "de", [["F: Wo kann ich parken? A: Am Hafen."]]),
        (p("문: 환불이 되나요?", "답: 네, 됩니다.", "끝입니다."), "ko", [["문: 환불이 되나요?", "답: 네, 됩니다."]]),
        (p("Q: 언제 여나요?\nA: 아홉 시에 엽니다."), "ko", [["Q: 언제 여나요?\nA: 아홉 시에 엽니다."]]),
        (p("Q: What is needed?", "A: Two things:", "- a key", "After."), "en", [["Q: What is needed?", "A: Two things:", "- a key"]]),
        (p("# How do I pay?", "By card or in cash.", "# Rest", "Text."), "en", [["How do I pay?", "By card or in cash."]]),
        (p("# 3. Wie kann ich zahlen?", "Mit Karte oder in bar."), "de", [["3. Wie kann ich zahlen?", "Mit Karte oder in bar."]]),
        (p("# Access the building after hours?", "Use the side door."), "en",
         [["Access the building after hours?", "Use the side door."]]),
        (p("# Puis-je payer par carte ?", "Oui, au guichet."), "fr", [["Puis-je payer par carte ?", "Oui, au guichet."]]),
        (p("# 예약은 어떻게 하나요?", "전화나 홈페이지로 예약하세요."), "ko", [["예약은 어떻게 하나요?", "전화나 홈페이지로 예약하세요."]]),
        (
            p("How do I pay?", "By card or in cash.", "Where is food?", "At the old market.", "Is there a bus?", "Every half hour.", "x"),
            "en",
            [["How do I pay?", "By card or in cash."], ["Where is food?", "At the old market."], ["Is there a bus?", "Every half hour."]],
        ),
    ],
)  # fmt: skip
def test_pairs_are_found(blocks: tuple[Block, ...], lang: str, pairs: list[list[str]]) -> None:
    assert found(blocks, lang) == pairs


@pytest.mark.parametrize(
    "blocks",
    [
        p("Who knows what the sea will bring?", "Nobody did, and so they waited for the morning."),
        p("“How do you do?” he said.", "“Fine.”", "“Where are you going?” she asked.", "“Home.”", "“Why?”", "“It is late.”"),
        p("F. Scott Fitzgerald wrote novels?", "He did, in New York and in France."),
        p("# Why?", "Because it was cheaper than the other one."),
        p("# What is a ferry?", "# Ships", "A ferry is a ship that crosses a river."),
        p("# What is a ferry?", LONG * 40),
        p("# What is a ferry?", "A ship."),
        p("Q: quarterly figures", "Revenue grew in all of the regions that we serve."),
        p("Q4: 12 million", "A4: paper"),
    ],
)
def test_other_questions_are_no_pairs(blocks: tuple[Block, ...]) -> None:
    assert found(blocks) == ([] if blocks[0].text != "Q4: 12 million" else [["Q4: 12 million", "A4: paper"]])


def test_long_files_of_line_ends_or_pairs_are_read_once() -> None:
    """With what is quadratic in their length these would take a minute."""
    assert found((Block("paragraph", "Q: x" + "\n" * 60_000),)) == []
    many = found(p(*(text for n in range(20_000) for text in (f"Q: Is it {n}?", f"A: {n}."))), "en")
    assert (len(many), many[7]) == (20_000, ["Q: Is it 7?", "A: 7."])


def test_code_with_marks_is_no_pair() -> None:
    assert found((Block("code", "Q: Is it free?\nA: Yes.\nQ: When?\nA: In May."),)) == []


def test_a_pair_is_one_passage_and_neither_split_nor_joined() -> None:
    passages = cut(HELP, "help.md")
    assert [text for kind, text in passages if kind == "faq"] == [
        "Questions\n\nQ: How much is a ticket? A: Five euros, children pay two.",
        "Q: Where can I park? A: Behind the pier, for free.",
    ]
    assert [kind for kind, _ in passages] == ["text", "faq", "faq", "text"]
    assert all(SHORT in text for kind, text in passages if kind == "text")


def test_pairs_in_another_document_or_in_a_mail_are_passages_but_no_faq() -> None:
    passages = cut(HELP + LONG * 5, "report.md")
    assert {kind for kind, _ in passages} == {"text"}
    assert "Questions\n\nQ: How much is a ticket? A: Five euros, children pay two." in [text for _, text in passages]
    mail = "From: a@example.org\nTo: b@example.org\nSubject: Account\n\nQ: Which account is it?\nA: The new one at the other bank.\n"
    assert cut(mail, "account.eml")[1:] == [("text", "Q: Which account is it?\nA: The new one at the other bank.")]


def test_sizes_that_the_sender_chose_are_kept() -> None:
    passages = cut(HELP, "help.md", FixedSize(4000, 0, " "))
    assert [kind for kind, _ in passages] == ["text"]


def test_the_markup_of_a_page_names_pairs() -> None:
    data = """{"@type": "FAQPage", "mainEntity": [
        {"@type": "Question", "name": "Can I bring a dog?", "acceptedAnswer": {"@type": "Answer", "text": "<p>On a <b>leash</b>.</p>"}},
        {"@type": "Question", "name": "Where do I park?", "acceptedAnswer": {"@type": "Answer", "text": "Shown above."}}]}"""
    page = f"""<script type="application/ld+json">{data}</script><script type="application/ld+json">{{broken</script>
        <h1>Help</h1><p>{LONG}</p>
        <details><summary>Tickets: how much?</summary><p>Five euros.</p><ul><li>Children: two</li></ul></details><p>Between.</p>
        <details><summary>More</summary><p>No question.</p></details>
        <dl><dt>Where do I park?</dt><dd>Behind the pier.</dd><dt>Pier</dt><dd>A bridge that ends.</dd></dl>
        <div itemscope itemtype="https://schema.org/Question"><b itemprop="name">Do you take cards?</b><div>All cards.</div></div>
        <p>After.</p><h3><button>What if it storms?</button></h3><div>The ferry stays in the harbour until noon.</div>"""
    passages = cut(page, "help.html")
    assert [text for kind, text in passages if kind == "faq"] == [
        "Tickets: how much?\n\nFive euros.\n\n- Children: two",
        "Where do I park?\n\nBehind the pier.",
        "Do you take cards?\n\nAll cards.",
        "What if it storms?\n\nThe ferry stays in the harbour until noon.",
        "Can I bring a dog?\n\nOn a leash.",
    ]
    parsed = parse(page.encode(), "help.html")
    assert unpack(pack(parsed)) == parsed


def test_a_block_that_is_split_keeps_its_places() -> None:
    text = "Q: Is it free?\nA: Yes.\nQ: Since when?\nA: Since May."
    second = text.index("Q: Since")
    places = tuple(Place(offset, page, 0, 0, 9, 9) for offset, page in ((0, 1), (15, 1), (second, 2), (second + 15, 3)))
    first, other = split_questions(Parsed((Block("paragraph", text, page=1, places=places),))).blocks
    assert (first.page, [(place.offset, place.page) for place in first.places]) == (1, [(0, 1), (15, 1)])
    assert (other.page, [(place.offset, place.page) for place in other.places]) == (2, [(0, 2), (15, 3)])


@pytest.mark.parametrize(
    ("name", "text", "question", "answer"),
    [
        ("help.md", HELP, "How much is a ticket?", "Five euros, children pay two."),
        ("hilfe.md", "# Hilfe\n\n## Wo kann ich parken?\n\nHinter dem Markt.\n\n## X\n\nMehr.", "Wo kann ich parken?", "Hinter dem Markt."),
        ("안내.txt", "문: 환불은 어떻게 받나요?\n답: 창구에서 표를 보여 주세요.", "환불은 어떻게 받나요?", "창구에서 표를 보여 주세요."),
    ],
)  # fmt: skip
async def test_the_question_is_answered_with_the_words_of_its_pair(
    tmp_path: Path, name: str, text: str, question: str, answer: str
) -> None:
    me = Caller("local", sees_all=True)
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    await core.ingestor.accept(me, text.encode(), file_name=name, collection="default", permission_groups=["*"])
    await work_all(core)
    turn = await core.answer.finish(core.new_turn(Request(question, "default"), me, HELD))
    await core.close()
    assert turn.outcome == "faq"
    assert turn.answer.text.startswith(answer)
