"""The form controls of OpenDocument files as text: check boxes with their labels, and the values of fields."""

from __future__ import annotations

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.notes import check_mark
from footnote.ingest.parse.package import Element, attr, child, local

_BOXES = ("checkbox", "radio")
_FIELDS = frozenset("text textarea formatted-text number date time combobox".split())


def read_controls(body: Element) -> dict[str, str]:
    """Id → the text of each control that has one. `body`: a text or presentation; each page of the latter may have forms."""
    return {
        name: text
        for forms in (child(body, "forms"), *body.iterfind("{*}page/{*}forms"))
        for node in (forms.iter("{*}*") if forms is not None else ())
        if (name := attr(node, "id")) and (text := _text(node))
    }


def field_value(mark: Element) -> str:
    """The check mark or chosen entry of a field that a Word file has brought along; "" for one whose value is in the text."""
    kind = attr(mark, "type") or ""
    parameters = [(attr(node, "name") or "", attr(node, "value") or "") for node in mark]
    if kind.endswith("FORMCHECKBOX"):
        return check_mark(checked=("Checkbox_Checked", "true") in parameters)
    if not kind.endswith("FORMDROPDOWN"):
        return ""
    entries = [value for name, value in parameters if name == "Dropdown_ListEntry"]
    chosen = next((value for name, value in parameters if name == "Dropdown_Selected"), "")
    return next((entry for number, entry in enumerate(entries) if str(number) == chosen), "")


def _text(node: Element) -> str:
    tag = local(node)
    label = spaced(attr(node, "label") or "")
    if tag in _BOXES:
        state = next((value for name in _STATES if (value := attr(node, name))), "")
        return f"{check_mark(checked=state in ('checked', 'true'))} {label}".strip()
    if tag == "listbox":
        return ", ".join(spaced(attr(each, "label") or "") for each in node if _is_chosen(each))
    if tag in _FIELDS:
        return spaced(attr(node, "current-value") or attr(node, "value") or "")
    return label if tag == "fixed-text" else ""


_STATES = ("current-state", "state", "current-selected", "selected")
"""What a control shows comes before what it was created with."""


def _is_chosen(option: Element) -> bool:
    return (attr(option, "current-selected") or attr(option, "selected")) == "true"
