"""What Open WebUI puts around its users' words: the template of its retrieval, and tasks of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

TASK = "### Task:"
CONTEXT, CONTEXT_END, HISTORY = "<context>", "</context>", "<chat_history>"
QUERY = re.compile(r"\s*<user_query>(.*)</user_query>\s*", re.DOTALL)
"""Up to version 0.6 the words stand in this behind the context, later as they are."""
FILES = re.compile(r"\s*<attached_files>.*?</attached_files>\s*", re.DOTALL)
"""Names of the files, before the words that came with them; in the template, and without it."""
SOURCE = re.compile(r'<source id="(\d{1,3})"')


@dataclass(frozen=True, slots=True)
class Asked:
    """A message, taken apart."""

    question: str
    """The user's own words."""
    attached: str = ""
    """What was found for them in attached files."""
    sources: int = 0
    """How many sources that is: Open WebUI lists them before ours and numbers them first."""


def read_message(text: str) -> Asked:
    """A message that has no such template is all the user's. What a file says cannot end the context: its last end counts."""
    start, end = text.find(TASK), text.rfind(CONTEXT_END)
    if start < 0 or not _is_first(CONTEXT, HISTORY, text) or end < text.find(CONTEXT):
        return Asked(_without_files(text))
    context, rest = text[text.find(CONTEXT) + len(CONTEXT) : end], text[end + len(CONTEXT_END) :]
    query = QUERY.match(rest)
    question = _without_files(query[1] if query else rest).strip() or text[:start].strip()  # old versions put the words first
    return Asked(question, context.strip(), max(map(int, SOURCE.findall(context)), default=0)) if question else Asked(text)


def is_side_task(text: str) -> bool:
    """Whether the model of a chat is asked for its title, tags, follow-up questions, searches, or how a sentence goes on."""
    return text.startswith(TASK) and _is_first(HISTORY, CONTEXT, text)


def _without_files(text: str) -> str:
    files = FILES.match(text)
    return text[files.end() :] if files else text


def _is_first(tag: str, other: str, text: str) -> bool:
    """Whether this tag is the template's own: another one behind it is what somebody wrote."""
    at, other_at = text.find(tag), text.find(other)
    return at >= 0 and (other_at < 0 or at < other_at)
