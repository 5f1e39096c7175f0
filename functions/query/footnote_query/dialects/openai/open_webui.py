"""Parses messages of Open WebUI, which wraps users' questions in a retrieval template and sends tasks of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

TASK = "### Task:"
CONTEXT, CONTEXT_END, HISTORY = "<context>", "</context>", "<chat_history>"
QUERY = re.compile(r"\s*<user_query>(.*)</user_query>\s*", re.DOTALL)
"""Encloses the user's text after the context up to version 0.6; later versions append it as it is."""
FILES = re.compile(r"\s*<attached_files>.*?</attached_files>\s*", re.DOTALL)
"""Names of attached files, before the user's text, with or without the template."""
SOURCE = re.compile(r'<source id="(\d{1,3})"')


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed message."""

    question: str
    """The user's own text."""
    attached: str = ""
    """Passages that Open WebUI found in attached files."""
    sources: int = 0
    """Number of these sources. Open WebUI lists and numbers them before ours."""


def read_message(text: str) -> Asked:
    """Parses a message. Without a template, all of it is the user's text. The last end tag counts, so a file's content cannot end
    the context."""
    start, end = text.find(TASK), text.rfind(CONTEXT_END)
    if start < 0 or not _is_first(CONTEXT, HISTORY, text) or end < text.find(CONTEXT):
        return Asked(_without_files(text))
    context, rest = text[text.find(CONTEXT) + len(CONTEXT) : end], text[end + len(CONTEXT_END) :]
    query = QUERY.match(rest)
    question = _without_files(query[1] if query else rest).strip() or text[:start].strip()  # old versions put the question first
    return Asked(question, context.strip(), max(map(int, SOURCE.findall(context)), default=0)) if question else Asked(text)


def is_side_task(text: str) -> bool:
    """Whether the message is a task of Open WebUI: a title, tags, follow-up questions, search queries or autocompletion."""
    return text.startswith(TASK) and _is_first(HISTORY, CONTEXT, text)


def _without_files(text: str) -> str:
    files = FILES.match(text)
    return text[files.end() :] if files else text


def _is_first(tag: str, other: str, text: str) -> bool:
    """Whether this tag comes first and so belongs to the template; a later one is user content."""
    at, other_at = text.find(tag), text.find(other)
    return at >= 0 and (other_at < 0 or at < other_at)
