"""PDF: values of form fields, texts typed onto a page, comments, alternative texts of figures."""

from __future__ import annotations

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block, Parsed
from tests.footnote.ingest.pdf_files import Drawing, Marked, Rule, Text, make_pdf, paragraph

LABELS = [Text(60, 700, "Vessel"), Text(60, 670, "Home port:"), Text(60, 640, "Tonnage")]


def widget(kind: str, box: tuple[float, float, float, float], keys: str) -> str:
    x0, y0, x1, y1 = box
    return f"/Subtype /Widget /FT /{kind} /Rect [{x0} {y0} {x1} {y1}] /T (f{x0}-{y0}) {keys}"


def entered(x: float, y: float, value: str, keys: str = "") -> str:
    return widget("Tx", (x, y - 5, x + 180, y + 15), f"/V ({value}) {keys}")


def box_at(x: float, y: float, *, state: str, keys: str = "") -> str:
    return widget("Btn", (x, y - 2, x + 12, y + 10), f"/AS /{state} {keys}")


def note(kind: str, y: float, text: str, keys: str = "") -> str:
    return f"/Subtype /{kind} /Rect [300 {y} 318 {y + 18}] /Contents ({text}) {keys}"


def texts(parsed: Parsed) -> list[str]:
    return [block.text for block in parsed.blocks]


def test_values_of_fields_stand_beside_their_labels() -> None:
    fields = [
        entered(200, 700, "Seagull"),
        widget("Ch", (200, 665, 380, 685), "/Ff 131072 /V (K) /Opt [[(H) (Hull)] [(K) (Kirkwall)]]"),
        entered(200, 640, ""),
    ]
    parsed = parse(make_pdf([LABELS], annotations=fields), "a.pdf")
    assert texts(parsed) == ["Vessel: Seagull", "Home port: Kirkwall", "Tonnage"]


def test_a_value_is_marked_with_its_label() -> None:
    parsed = parse(make_pdf([LABELS], annotations=[entered(200, 700, "Seagull")]), "a.pdf")
    (place,) = parsed.blocks[0].places
    assert (place.x0, place.x1) == (60, 380)
    assert place.y0 < 100 < place.y1


def test_the_label_of_a_field_may_stand_above_it() -> None:
    page = [Text(60, 700, "Given name"), Text(320, 700, "Family name"), *paragraph("Please write in capitals.", y=600)]
    fields = [entered(60, 680, "Ines"), entered(320, 680, "Roth")]
    assert texts(parse(make_pdf([page], annotations=fields), "a.pdf")) == [
        "Given name: Ines Family name: Roth",
        "Please write in capitals.",
    ]


def test_a_field_within_a_sentence_completes_it() -> None:
    page = [Text(60, 700, "The rent is"), Text(180, 700, "euros and is due on the third.")]
    parsed = parse(make_pdf([page], annotations=[widget("Tx", (115, 697, 175, 711), "/V (812)")]), "a.pdf")
    assert texts(parsed) == ["The rent is 812 euros and is due on the third."]


def test_a_field_without_a_label_has_the_name_for_readers() -> None:
    field = entered(200, 400, "41 kg", "/TU (Weight of the parcel)")
    assert texts(parse(make_pdf([LABELS], annotations=[field]), "a.pdf"))[-1] == "Weight of the parcel: 41 kg"


def named(x: float, y: float, width: float, value: str, name: str, *, is_for_readers: bool = True) -> str:
    keys = f"/Subtype /Widget /FT /Tx /Rect [{x} {y} {x + width} {y + 15}] /V ({value}) "
    return keys + (f"/T (f{x}-{y}) /TU ({name})" if is_for_readers else f"/T ({name})")


BELOW = [Text(60, 700, "NAME", 12), Text(60, 670, "Last", 8), Text(60, 642, "First", 8)]


@pytest.mark.parametrize("is_for_readers", [True, False])
def test_the_names_of_fields_say_that_labels_stand_below_them(is_for_readers: bool) -> None:
    names = ("LAST", "FIRST") if is_for_readers else ("form1.txtLast", "form1.txtFirst")
    fields = [named(60, 680, 240, "Roth", names[0], is_for_readers=is_for_readers)]
    fields += [named(60, 652, 240, "Ines", names[1], is_for_readers=is_for_readers)]
    assert texts(parse(make_pdf([BELOW], annotations=fields), "a.pdf")) == ["NAME", "Last: Roth", "First: Ines"]


def test_a_field_without_a_telling_name_has_its_label_where_those_of_most_are() -> None:
    page = [*BELOW, Text(60, 614, "Nickname", 8)]
    fields = [named(60, 680, 240, "Roth", "LAST"), named(60, 652, 240, "Ines", "FIRST"), named(60, 624, 240, "Ini", "[2]")]
    assert texts(parse(make_pdf([page], annotations=fields), "a.pdf"))[1:] == ["Last: Roth", "First: Ines", "Nickname: Ini"]


def test_labels_of_narrow_fields_are_told_apart_by_the_fields() -> None:
    page = [Text(60, 700, "ADDRESS", 12), Text(60, 670, "State", 8), Text(90, 670, "Zip", 8)]
    fields = [named(60, 680, 25, "WA", "STATE"), named(90, 680, 60, "19283", "ZIP")]
    assert texts(parse(make_pdf([page], annotations=fields), "a.pdf")) == ["ADDRESS", "State: WA Zip: 19283"]


def test_a_number_alone_in_a_name_does_not_choose_a_label() -> None:
    page = [Text(60, 700, "Given name", 8), Text(60, 672, "Page 1/1", 8)]
    assert texts(parse(make_pdf([page], annotations=[named(60, 682, 240, "Ines", "f1_1")]), "a.pdf")) == ["Given name: Ines", "Page 1/1"]


def test_fields_of_a_ruled_table_are_in_its_cells() -> None:
    lines = [Rule(50, y, 350, y) for y in (720, 690, 660)] + [Rule(x, 660, x, 720) for x in (50, 200, 350)]
    page: list[Drawing] = [*lines, Text(60, 700, "Tool"), Text(210, 700, "Number"), Text(60, 670, "Hammer")]
    field = widget("Tx", (210, 664, 340, 684), "/V (14)")
    assert texts(parse(make_pdf([page], annotations=[field]), "a.pdf")) == ["| Tool | Number |\n| --- | --- |\n| Hammer | 14 |"]


def test_check_boxes_and_radio_buttons_are_marked_beside_their_labels() -> None:
    page = [
        Text(80, 700, "With breakfast"),
        Text(80, 680, "With a cot"),
        Text(60, 650, "Floor"),
        Text(140, 650, "first"),
        Text(240, 650, "top"),
    ]
    fields = [
        box_at(60, 700, state="Yes"),
        box_at(60, 680, state="Off"),
        box_at(120, 650, state="Off", keys="/Ff 32768"),
        box_at(220, 650, state="2", keys="/Ff 32768"),
    ]
    parsed = parse(make_pdf([page], annotations=fields), "a.pdf")
    assert texts(parsed) == ["☑ With breakfast\n☐ With a cot", "Floor ☐ first ☑ top"]


def test_a_mark_after_its_label_is_put_before_it() -> None:
    page = [Text(60, 700, "Insured by post")]
    assert texts(parse(make_pdf([page], annotations=[box_at(200, 700, state="On")]), "a.pdf")) == ["☑ Insured by post"]


@pytest.mark.parametrize(
    "field",
    [
        pytest.param(entered(200, 700, "secret", "/F 2"), id="hidden"),
        pytest.param(entered(200, 700, "secret", "/F 32"), id="not shown on screens"),
        pytest.param(entered(200, 700, "secret", "/Ff 8192"), id="a password"),
        pytest.param(widget("Tx", (200, 700, 200, 700), "/V (secret)"), id="without a size"),
        pytest.param(widget("Btn", (200, 695, 380, 715), "/Ff 65536 /MK << /CA (secret) >>"), id="a button"),
        pytest.param(note("Text", 700, "secret", "/F 2"), id="a hidden comment"),
        pytest.param(note("Popup", 700, "secret"), id="the window of a comment"),
    ],
)
def test_what_is_not_shown_says_nothing(field: str) -> None:
    assert texts(parse(make_pdf([LABELS], annotations=[field]), "a.pdf")) == [label.text for label in LABELS]


def test_a_value_that_the_page_shows_already_is_not_repeated() -> None:
    page = [*LABELS, Text(210, 700, "Seagull")]
    parsed = parse(make_pdf([page], annotations=[entered(200, 700, "Seagull")]), "a.pdf")
    assert " ".join(texts(parsed)).count("Seagull") == 1


def typed(x: float, y: float, text: str, height: float = 16) -> str:
    return f"/Subtype /FreeText /Rect [{x} {y - 4} {x + 200} {y - 4 + height}] /Contents ({text}) /DA (/F1 10 Tf)"


def test_a_text_typed_onto_the_page_stands_at_its_place() -> None:
    page = [*paragraph("The quay is closed in winter."), *paragraph("The crane is to be greased each month.", y=600)]
    parsed = parse(make_pdf([page], annotations=[typed(60, 650, "Load of the crane: 12 t.")]), "a.pdf")
    assert texts(parsed) == ["The quay is closed in winter.", "Load of the crane: 12 t.", "The crane is to be greased each month."]
    assert [round(value) for value in parsed.blocks[1].places[0][2:6]] == [60, 138, 260, 154]


def test_a_text_typed_beside_a_label_is_in_its_line() -> None:
    assert texts(parse(make_pdf([LABELS], annotations=[typed(105, 640, "310 t")]), "a.pdf"))[-1] == "Tonnage 310 t"


def test_lines_of_a_typed_text_stay_lines() -> None:
    parsed = parse(make_pdf([LABELS], annotations=[typed(60, 400, "Keys at the gate\\rDogs on a lead", 32)]), "a.pdf")
    assert "\n".join(texts(parsed)[-2:]) == "Keys at the gate\nDogs on a lead"


def test_what_is_filled_in_is_no_heading() -> None:
    page = [*paragraph("The quay is closed in winter, and the ferry does not stop.", size=8), Text(60, 600, "Wharf")]
    parsed = parse(make_pdf([page], annotations=[entered(200, 600, "West", "/DA (/F2 20 Tf)"), typed(60, 500, "Seen", 40)]), "a.pdf")
    assert [block.kind for block in parsed.blocks if "West" in block.text or "Seen" in block.text] == ["paragraph", "paragraph"]


def test_comments_follow_the_text_they_stand_at() -> None:
    page = [*paragraph("The quay is closed in winter."), *paragraph("The crane is to be greased each month.", y=600)]
    notes = [note("Text", 695, "Since when?", "/T (Ada Lind)"), note("Highlight", 595, "By whom?")]
    parsed = parse(make_pdf([page], annotations=notes), "a.pdf")
    assert texts(parsed) == [page[0].text, "Comment (Ada Lind): Since when?", page[1].text, "Comment: By whom?"]
    assert parsed.blocks[1].places[0][1:6] == (1, 300, 87, 318, 105)


def test_replies_follow_their_comment_and_marks_of_a_review_are_left_out() -> None:
    notes = [
        note("Text", 695, "Since when?", "/T (Ada)"),
        note("Text", 695, "Since May.", "/T (Ben) /IRT {0}"),
        note("Text", 695, "Accepted by Cy", "/T (Cy) /IRT {0} /StateModel (Review) /State (Accepted)"),
        note("Text", 695, "Thanks.", "/T (Ada) /IRT {1}"),
    ]
    parsed = parse(make_pdf([paragraph("The quay is closed.")], annotations=notes), "a.pdf")
    assert texts(parsed)[1:] == ["Comment (Ada): Since when?\nReply (Ben): Since May.\nReply (Ada): Thanks."]


def test_a_comment_with_only_a_formatted_text_is_read() -> None:
    rich = "/RC (<body><p>Move the <b>bollard</b>.</p><p>Paint &amp; seal it.</p></body>)"
    parsed = parse(make_pdf([paragraph("The quay is closed.")], annotations=[f"/Subtype /Text /Rect [300 690 318 708] {rich}"]), "a.pdf")
    assert texts(parsed)[1].split() == "Comment: Move the bollard. Paint & seal it.".split()


def test_a_page_with_only_a_comment_or_a_value_is_read() -> None:
    for item in (note("Stamp", 695, "Void"), entered(200, 700, "Void")):
        assert "Void" in texts(parse(make_pdf([[]], annotations=[item]), "a.pdf"))[0]


def test_annotations_of_a_turned_page_stand_beside_its_text() -> None:
    page = [Text(300, 200, "Depth", upwards=True)]
    field = widget("Tx", (290, 260, 310, 360), "/V (7 m)")
    parsed = parse(make_pdf([page], annotations=[field], page_keys="/Rotate 90"), "a.pdf")
    assert parsed.blocks == (Block("paragraph", "Depth: 7 m", 0, 1, parsed.blocks[0].places),)


def test_a_dynamic_form_says_that_its_fields_are_not_read() -> None:
    xfa = "/AcroForm << /Fields [] /XFA <0> >> /NeedsRendering true"
    shell = "<< /Length 12 >>\nstream\n<xdp></xdp> \nendstream"
    parsed = parse(make_pdf([paragraph("Please wait.")], catalog=xfa, more=[shell]), "a.pdf")
    assert parsed.reason == "This PDF is a dynamic form (XFA); its fields could not be read."
    assert parsed.remedy == "Open it in Adobe Acrobat Reader, print it to a PDF file and add that."
    with pytest.raises(UnreadableFile, match="dynamic form"):
        parse(make_pdf([[]], catalog=xfa, more=[shell]), "a.pdf")


def test_a_form_of_thousands_of_fields_is_read_in_seconds() -> None:
    fields = [entered(60 + (i % 40) * 10, 20 + i // 40 * 6, f"v{i}") for i in range(4_000)]
    parsed = parse(make_pdf([[Text(20 + i % 7, 10 + i * 2, "word " * 20, 2) for i in range(380)]], annotations=fields), "a.pdf")
    assert "v3999" in " ".join(texts(parsed))


def tagged(*alternatives: str) -> tuple[str, list[str]]:
    """(keys of the catalog, further objects) of a structure with a figure for each text."""
    figures = [f"<{i}>" for i in range(1, len(alternatives) + 1)]
    root = f"<< /Type /StructTreeRoot /K [{' '.join(figures)}] /ParentTree << /Nums [0 [{' '.join(figures)}]] >> >>"
    elements = [f"<< /Type /StructElem /S /Figure /P <0> /Pg 6 0 R /K {i} /Alt ({alt}) >>" for i, alt in enumerate(alternatives)]
    return "/MarkInfo << /Marked true >> /StructTreeRoot <0>", [root, *elements]


def test_alternative_texts_of_figures_stand_at_their_place() -> None:
    page: list[Drawing] = [
        *paragraph("The quay is closed in winter."),
        Marked(0, 60, 650),
        *paragraph("The crane is to be greased each month.", y=600),
        Marked(1, 60, 550),
    ]
    catalog, more = tagged("Plan of the quay with its four bollards", "crane.png")
    parsed = parse(make_pdf([page], page_keys="/StructParents 0", catalog=catalog, more=more), "a.pdf")
    assert [(block.kind, block.text) for block in parsed.blocks] == [
        ("paragraph", "The quay is closed in winter."),
        ("image", "Plan of the quay with its four bollards"),
        ("paragraph", "The crane is to be greased each month."),
    ]
    assert [round(value) for value in parsed.blocks[1].places[0][:6]] == [0, 1, 60, 130, 150, 150]


def test_a_figure_that_is_on_each_page_is_described_once() -> None:
    page: list[Drawing] = [
        *paragraph("The quay is closed in winter."),
        Marked(0, 60, 650),
        Marked(1, 60, 600),
    ]
    catalog, more = tagged("Coat of arms", "Coat of arms")
    parsed = parse(make_pdf([page], page_keys="/StructParents 0", catalog=catalog, more=more), "a.pdf")
    assert texts(parsed).count("Coat of arms") == 1
