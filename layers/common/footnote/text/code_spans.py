"""Where Markdown has code: fenced blocks and inline code, as in CommonMark, also while the text arrives.

A fence counts at any indentation, so that one in a list does, and lasts to the line that closes it, whatever else its list does: models
often leave out the indentation of code. Code blocks that are only indented are prose here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

LINE = 200
"""Characters of a line's beginning that are kept, to see whether it opens or closes a block."""
SIGNS = re.compile(r"`+|~+|\\")
TICKS_OR_LINE = re.compile(r"`+|\n")
CONTAINER = re.compile(r"(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*")
"""Text allowed before a fence: white space, and the marks of quotations and list items."""
QUOTED = re.compile(r"[ \t]*(>?)")
CLOSING = re.compile(r"([ \t>]*)(`{3,}|~{3,})[ \t\r]*")
ONE_LINE = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|\|)")
"""A heading or a row of a table, which ends with its line."""
BLOCK = re.compile(
    r"[ \t\r]*(?:\n|#{1,6}[ \t\n]|[>|]|[-*+][ \t\n]|\d{1,9}[.)][ \t\n]|~~~|`{3,}[^`\n]*\n|(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*\n)"
)
"""After the end of a line: what ends the paragraph, and with it inline code that was not closed."""
BLOCK_BEGUN = re.compile(r"[ \t\r]*(?:#{0,6}|[-*+]|\d{1,9}[.)]?|~{1,2}|`{1,2}|`{3,}[^`\n]*|(?:-+|=+|\*+|_+)[ \t]*)")
"""The beginning of what BLOCK matches, which needs more text."""
ESCAPED_OR_TICK = re.compile(r"\\[\\`~]|`")


class Piece(NamedTuple):
    """A part of a text: code with its delimiters, or prose."""

    text: str
    is_code: bool


class Fence(NamedTuple):
    """An open fence. `column`: where it begins; `quoted`: it is in a quotation, and ends with it."""

    sign: str
    length: int
    column: int
    quoted: bool


class CodeScanner:
    """Splits streamed text into prose and code, however it is split. Inline code is held back until it is closed, or its paragraph
    ends, which makes it prose."""

    def __init__(self) -> None:
        self._held = ""
        self._at = 0
        """How much of the held text was released."""
        self._line = ""
        """The current line before that; of a long one more than LINE characters of its beginning."""
        self.fence: Fence | None = None
        """The fence that is open."""
        self.opens = False
        """The line is the one that opens the fence."""
        self._searched = 0
        """How far the end of the inline code was searched for; 0 = not yet."""

    def is_prose(self, text: str) -> bool:
        """Takes the next piece if it is prose beyond doubt; returns whether it is. A shortcut for `feed`."""
        if self._held or self.fence or "`" in text or "~" in text or "\\" in text:
            return False
        self._go_on(text)
        return True

    def feed(self, text: str) -> list[Piece]:
        """Takes the next piece; returns the decided pieces."""
        if "\n" not in text and "`" not in text:  # shortcuts: the line, or the inline code, goes on
            if self.fence and not self._held and (self._line or not self.fence.quoted):
                self._go_on(text)
                return [Piece(text, True)]
            if self._searched and self._searched == len(self._held):
                self._held += text
                self._searched += len(text)
                return []
        return self._decided(text, at_end=False)

    def flush(self) -> list[Piece]:
        """The rest at the end of the stream."""
        pieces = self._decided("", at_end=True)
        if self.fence and self._closes(self.fence, self._line):
            self.fence = None
        return pieces

    def _decided(self, text: str, *, at_end: bool) -> list[Piece]:
        self._held += text
        pieces: list[Piece] = []
        while self._at < len(self._held):
            piece = self._in_fence(self.fence, at_end) if self.fence else self._in_prose(at_end)
            if piece is None:
                break
            end, is_code = piece
            if end > self._at:
                pieces.append(Piece(self._held[self._at : end], is_code))
                self._go_on(pieces[-1].text)
            self._at = end
        self._searched -= self._at if self._searched else 0
        self._held, self._at = self._held[self._at :], 0
        return pieces

    def _go_on(self, text: str) -> None:
        if "\n" in text:
            self._line = text[text.rindex("\n") + 1 :][:LINE]
            self.opens = False
        elif len(self._line) < LINE:
            self._line += text

    def _in_fence(self, fence: Fence, at_end: bool) -> tuple[int, bool] | None:
        """As `_in_prose`."""
        text, start = self._held, self._at
        if fence.quoted and not self._line:
            mark = QUOTED.match(text, start)
            if mark and mark.end() == len(text) and not mark[1] and not at_end:
                return None
            if not (mark and mark[1]):
                self.fence = None
                return self._in_prose(at_end)
        newline = text.find("\n", start)
        if newline < 0:
            return len(text), True
        if self._closes(fence, self._line + text[start:newline]):
            self.fence = None
            return newline, True
        return newline + 1, True

    def _closes(self, fence: Fence, line: str) -> bool:
        closing = CLOSING.fullmatch(line)
        if closing is None or self.opens or closing[2][0] != fence.sign or len(closing[2]) < fence.length:
            return False
        return len(closing[1].expandtabs(4)) <= fence.column + 3 and (fence.quoted or ">" not in closing[1])

    def _in_prose(self, at_end: bool) -> tuple[int, bool] | None:
        """Where the next piece ends, and whether it is code; None = more text is needed."""
        text, start = self._held, self._at
        signs = SIGNS.search(text, start)
        if signs is None:
            return len(text), False
        if signs.start() > start:
            return signs.start(), False
        sign, end = signs[0][0], signs.end()
        if end == len(text) and not at_end:
            return None
        if sign == "\\":
            return end + (text[end : end + 1] in ("`", "~", "\\")), False
        if len(signs[0]) >= 3 and CONTAINER.fullmatch(self._line):
            rest = TICKS_OR_LINE.search(text, end) if sign == "`" else None
            if sign == "`" and rest is None and not at_end:
                return None
            if rest is None or rest[0] == "\n":
                self.fence = Fence(sign, len(signs[0]), len(self._line.expandtabs(4)), ">" in self._line)
                self.opens = True
                return end, True
        if sign == "~":
            return end, False
        closed = self._closer(end, len(signs[0]), at_end)
        return None if closed is None else (closed or end, closed > 0)

    def _closer(self, start: int, length: int, at_end: bool) -> int | None:
        """Where the inline code that begins before `start` ends; 0 = nowhere, None = more text is needed."""
        text, self._searched = self._held, self._searched or start
        for match in TICKS_OR_LINE.finditer(text, self._searched):
            self._searched = match.start()
            if match[0] == "\n":
                begun = BLOCK_BEGUN.fullmatch(text, match.end())
                if begun and not at_end:
                    return None
                if ONE_LINE.match(self._line) or BLOCK.match(f"{begun[0]}\n" if begun else text, 0 if begun else match.end()):
                    break
            elif match.end() == len(text) and not at_end:
                return None
            elif len(match[0]) == length:
                self._searched = 0
                return match.end()
        else:
            self._searched = len(text)
            if not at_end:
                return None
        self._searched = 0
        return 0


def prose_spans(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of the parts of a text between its code."""
    scanner = CodeScanner()
    start = at = 0
    for piece in (*scanner.feed(text), *scanner.flush()):
        if piece.is_code:
            if at > start:
                yield start, at
            start = at + len(piece.text)
        at += len(piece.text)
    if at > start:
        yield start, at


def sub_prose(pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
    """`pattern.sub` that leaves code as it is."""
    out, at = "", 0
    for start, end in prose_spans(text):
        out += text[at:start] + pattern.sub(replacement, text[start:end])
        at = end
    return out + text[at:]


def followed_by(text: str, addition: str) -> str:
    """The text with an addition that is no code: it follows a fenced block, which is closed if it was open. Other marks that would make it
    code are escaped."""
    scanner = CodeScanner()
    pieces = (*scanner.feed(text), *scanner.flush())
    if scanner.fence and scanner.opens:
        at = text.index(scanner.fence.sign * scanner.fence.length, text.rfind("\n") + 1)
        return followed_by(f"{text[:at]}\\{text[at:]}", addition)
    if scanner.fence:
        text = f"{text.rstrip()}\n{'' if scanner.fence.quoted else scanner.fence.sign * scanner.fence.length}"
        return f"{text}\n{addition}".rstrip()
    is_block = bool(pieces) and pieces[-1].is_code and CLOSING.fullmatch(pieces[-1].text) is not None
    text = sub_prose(ESCAPED_OR_TICK, lambda match: match[0] if match[0] != "`" else r"\`", text)
    return f"{text}{chr(10) if is_block else ' '}{addition}".rstrip()


def fence_end(text: str) -> str:
    """The text that closes the open fence at the end of a text that cannot be changed any more; "" = there is none."""
    scanner = CodeScanner()
    scanner.feed(text)
    scanner.flush()
    return f"\n{scanner.fence.sign * scanner.fence.length}" if scanner.fence and not scanner.fence.quoted else ""


def fenced_code(code: str) -> str:
    """A block of code, whose fence is longer than any in it."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", code))])
    return f"{fence}\n{code}\n{fence}"
