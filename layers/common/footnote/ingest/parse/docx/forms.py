"""The values of form fields and content controls in Word files that are not, or not always, among the text: check boxes and lists."""

from __future__ import annotations

from footnote.ingest.parse.notes import check_mark
from footnote.ingest.parse.package import Element, attr, child, count, local

OFF = ("0", "false", "off")
"""Values of a property that is switched off."""
_MAX_ENTRIES = 1_000


def check(control: Element) -> None:
    """Replaces the sign that a content control shows with a check mark, if it is a check box: its signs may be of any font."""
    box = child(control, "sdtPr", "checkbox")
    if box is None:
        return
    sign = check_mark(checked=attr(child(box, "checked"), "val") not in (None, *OFF))
    content = child(control, "sdtContent")
    for node in content.iter("{*}t", "{*}sym") if content is not None else ():
        node.tag = node.tag.rpartition("}")[0] + "}t"
        node.text, sign = sign, ""


def field_value(data: Element) -> str:
    """A legacy form field's check mark or chosen entry; "" for a field whose value is in the text."""
    box, entries = child(data, "checkBox"), child(data, "ddList")
    if box is not None:
        state = next((node for name in ("checked", "default") if (node := child(box, name)) is not None), None)
        return check_mark(checked=state is not None and attr(state, "val") not in OFF)
    if entries is None:
        return ""
    chosen = next((node for name in ("result", "default") if (node := child(entries, name)) is not None), None)
    names = [attr(node, "val") or "" for node in entries if local(node) == "listEntry"]
    at = count(chosen, "val", _MAX_ENTRIES, 0)
    return names[at] if at < len(names) else ""
