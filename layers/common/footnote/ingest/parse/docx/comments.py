"""Reads the comments of a Word file: threads of remarks, by the comment that the text refers to."""

from __future__ import annotations

from footnote.ingest.parse.package import Element, attr, local


def read_threads(comments: Element | None, extended: Element | None) -> dict[str, list[Element]]:
    """Comment id → the comment and its replies, oldest first. `extended`: the part that names what a comment replies to.

    A reply has a reference of its own in the text; its id is not among the keys."""
    found = [node for node in comments if local(node) == "comment"] if comments is not None else []
    answered = {attr(node, "paraId"): attr(node, "paraIdParent") for node in extended} if extended is not None else {}
    by_paragraph: dict[str | None, list[Element]] = {}  # the id of its last paragraph stands for a comment
    threads: dict[str, list[Element]] = {}
    for node in found:
        paragraphs = [attr(each, "paraId") for each in node.iter("{*}p")]
        name = paragraphs[-1] if paragraphs else None
        parent = answered.get(name) if name else None
        thread = by_paragraph.get(parent) if parent else None
        if thread is None:
            thread = threads.setdefault(attr(node, "id") or "", [])
        thread.append(node)
        if name:
            by_paragraph[name] = thread
    return threads
