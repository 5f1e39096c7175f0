"""Reads the content lines of calendars and contacts, `NAME;PARAMETER=value:value`, and the components that they make, from BEGIN to END."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from quopri import decodestring

from footnote.ingest.parse.decode import decode, spaced

_FOLD = re.compile(rb"\r?\n[ \t]")
_LINE = re.compile(r'(?:([\w-]+)\.)?([\w-]+)((?:;[^:;"]*+(?:"[^"]*+"[^:;"]*+)*+)*+):(.*)', re.DOTALL)
_PARAMETER = re.compile(r';([\w-]++)(?:=((?:"[^"]*+"|[^;"])*+))?')
_ESCAPE = re.compile(r"\\([nN,;:\\\"])")
_QUOTED = "QUOTED-PRINTABLE"
_MAX_DEPTH = 10
"""Of components in one another; a calendar has three."""


@dataclass(slots=True)
class Line:
    """A property. `group`: joins it to others, such as a label; `value`: as it is written."""

    name: str
    value: str
    group: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """By name, in capitals; several values are separated by commas. In old contacts a value without a name is a TYPE."""

    @property
    def text(self) -> str:
        """The value as text."""
        return _unescaped(self.value)

    def parts(self, separator: str) -> list[str]:
        """The values between semicolons or commas."""
        return [_unescaped(part) for part in re.split(rf"(?<!\\){separator}", self.value)]


@dataclass(slots=True)
class Component:
    """What stands between BEGIN and END."""

    name: str
    lines: list[Line] = field(default_factory=list)
    components: list[Component] = field(default_factory=list)

    def first(self, name: str) -> Line | None:
        """The first property with this name and a value."""
        return next(self.every(name), None)

    def text(self, name: str) -> str:
        """The text of the first property with this name; "" = there is none."""
        line = self.first(name)
        return line.text if line else ""

    def every(self, *names: str) -> Iterator[Line]:
        """The properties with one of these names and a value, in their order."""
        return (line for line in self.lines if line.name in names and line.value.strip())


def read_components(data: bytes) -> list[Component]:
    """The components of a file, with those in them. A missing END is added where the file or the outer component ends."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = decode(data).encode()
    stack = [Component("")]
    for line in _lines(decode(_FOLD.sub(b"", data))):
        name = line.value.strip().upper()
        if line.name == "BEGIN":
            made = Component(name)
            stack[-1].components.append(made)
            if len(stack) <= _MAX_DEPTH:
                stack.append(made)
        elif line.name == "END":
            if any(open_.name == name for open_ in stack[1:]):
                while stack.pop().name != name:
                    pass
        else:
            stack[-1].lines.append(line)
    return stack[0].components


def _lines(text: str) -> Iterator[Line]:
    written = iter(text.split("\n"))
    for first in written:
        found = _LINE.match(first.strip())
        if not found:
            continue
        group, name, parameters, value = found.groups()
        values: dict[str, list[str]] = {}
        for key, given in _PARAMETER.findall(parameters):
            if not given:  # as in old contacts
                key, given = "ENCODING" if key.upper() == _QUOTED else "TYPE", key
            values.setdefault(key.upper(), []).append(given.replace('"', ""))
        read = {key: ",".join(given) for key, given in values.items()}
        if read.get("ENCODING", "").upper() == _QUOTED:
            lines = [value]
            while lines[-1].endswith("="):
                lines.append(next(written, "").rstrip())
            value = decode(decodestring("\n".join(lines)), read.get("CHARSET")) if value else ""
        yield Line(name.upper(), value, (group or "").lower(), read)


def _unescaped(value: str) -> str:
    text = _ESCAPE.sub(lambda escape: "\n" if escape[1] in "nN" else escape[1], value)
    return "\n".join(spaced(line) for line in text.strip().split("\n"))
