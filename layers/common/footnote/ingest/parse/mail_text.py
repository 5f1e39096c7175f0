"""The plain text of mails as it was written: without the lines into which programs divided it, and without what PGP adds."""

from __future__ import annotations

import re

_ENCRYPTED = re.compile(r"^[> ]*-----BEGIN PGP MESSAGE-----$.*?(?:^[> ]*-----END PGP MESSAGE-----$|\Z)", re.MULTILINE | re.DOTALL)
_SIGNED = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----\n(?:[\w-]+: [^\n]*\n)*\n((?:(?!-----BEGIN PGP)[^\n]*\n)*)"
    r"-----BEGIN PGP SIGNATURE-----$.*?(?:^-----END PGP SIGNATURE-----$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ESCAPED_DASH = re.compile(r"^- (?=-)", re.MULTILINE)
_QUOTES = re.compile(r">*")
_SIGNATURE = "-- "


def unflowed(text: str, *, deletes_space: bool = False) -> str:
    """Text in the format `flowed` (RFC 3676) with its paragraphs in one line each. A quoted one keeps its `>` once.

    `deletes_space`: as `delsp=yes` says, the space before a line break belongs to the break, so that words may be divided there."""
    written: list[str] = []
    depth, is_open = 0, False
    for line in text.split("\n"):
        quotes = _QUOTES.match(line)
        here = quotes.end() if quotes else 0
        content = line[here:].removeprefix(" ")  # it was added before text that begins with a space, “From” or “>”
        goes_on = content.endswith(" ") and content != _SIGNATURE
        shown = content[:-1] if goes_on and deletes_space else content
        if is_open and here == depth and content != _SIGNATURE:
            written[-1] += shown
        else:
            written.append(f"{'>' * here} {shown}" if here else shown)
        depth, is_open = here, goes_on
    return "\n".join(written)


def without_pgp(text: str) -> tuple[str, list[str]]:
    """(The text that people can read, the messages in it that are encrypted). A signature is left out, what it signs stays."""
    encrypted = [found[0] for found in _ENCRYPTED.finditer(text)]
    return _SIGNED.sub(lambda found: _ESCAPED_DASH.sub("", found[1]), _ENCRYPTED.sub("", text)), encrypted
