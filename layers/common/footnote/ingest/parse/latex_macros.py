"""Writes out what commands of LaTeX stand for: those that a file defines, numbers with units (siunitx), links, notes and references; and
leaves out what is switched off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_COMMAND = re.compile(r"\\([A-Za-z@]+)\*?")
_SWITCH = re.compile(r"\\(iffalse|if[A-Za-z]+|else|fi)(?![A-Za-z@])")
_DEFINITION = re.compile(
    r"\\(?:(?:re|provide)?newcommand|providecommand|DeclareRobustCommand|DeclareMathOperator|(?P<document>(?:New|Renew|Provide)DocumentCommand)"
    r"|(?P<environment>(?:re)?newenvironment)|(?P<def>[egx]?def))\*?\s*"
)
_NAME = re.compile(r"\{?\s*\\([A-Za-z@]+|.)\s*\}?\s*")
_COUNT = re.compile(r"\[(\d)\]\s*")
_OPTION = re.compile(r"\s*\[([^\[\]]{0,500})\]")
_PARAMETERS = re.compile(r"(?:#\d)*(?=\{)")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LABELLED = re.compile(
    r"\\(?:part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?\s*(?:\[[^\]]{0,500}\])?\s*"
    r"\{((?:[^{}]|\{[^{}]{0,500}\}){1,1000})\}\s*\\label\s*\{([^{}]{1,200})\}"
)
_MOST_DEPTH = 10
_MOST_EXPANDED = 20_000
"""Commands that are written out in a file at most, because one may use itself."""
_PREFIXES = dict(
    pair.split("=")
    for pair in (
        "yocto=y zepto=z atto=a femto=f pico=p nano=n micro=µ milli=m centi=c deci=d deca=da hecto=h kilo=k mega=M giga=G tera=T peta=P "
        "exa=E zetta=Z yotta=Y kibi=Ki mebi=Mi gibi=Gi tebi=Ti"
    ).split()
)
_UNITS = dict(
    pair.split("=")
    for pair in (
        "ampere=A candela=cd kelvin=K kilogram=kg metre=m meter=m mole=mol second=s becquerel=Bq degreeCelsius=°C celsius=°C coulomb=C "
        "farad=F gray=Gy hertz=Hz henry=H joule=J lumen=lm katal=kat lux=lx newton=N ohm=Ω pascal=Pa radian=rad siemens=S sievert=Sv "
        "steradian=sr tesla=T volt=V watt=W weber=Wb astronomicalunit=au bel=B dalton=Da day=d decibel=dB degree=° "
        "electronvolt=eV hectare=ha hour=h litre=L liter=L arcminute=′ minute=min arcsecond=″ neper=Np tonne=t bit=bit byte=B percent=% "
        "gram=g bar=bar angstrom=Å"
    ).split()
)
"""Units by the names of their commands, as siunitx shows them."""


@dataclass(frozen=True, slots=True)
class _Macro:
    """What a command stands for. `write`: from its arguments; `option`: the value of the first one if it is left out, None = it is no
    option; `reads_option`: whether an option before the arguments is left out."""

    count: int
    write: Callable[[Sequence[str]], str]
    option: str | None = None
    reads_option: bool = False


def written_out(text: str) -> str:
    """The text with what its commands stand for. Verbatim parts must not be in it."""
    text, macros = _definitions(_switched_on(text))
    known = {**_KNOWN, **_references(text), **macros}
    left = [_MOST_EXPANDED]

    def expand(part: str, depth: int) -> str:
        done: list[str] = []
        at = 0
        while (found := _COMMAND.search(part, at)) and left[0] > 0:
            macro = known.get(found[1])
            done.append(part[at : found.start()])
            if macro is None or depth > _MOST_DEPTH:
                done.append(found[0])
                at = found.end()
                continue
            left[0] -= 1
            arguments, at = _arguments(part, found.end(), macro)
            done.append(expand(macro.write(arguments), depth + 1))
        return "".join((*done, part[at:]))

    return expand(text, 0)


def group(text: str, at: int) -> tuple[str, int]:
    """(what stands in the braces that begin at `at`, or the command or sign there; where it ends)."""
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text) or text[at] != "{":
        found = _COMMAND.match(text, at)
        end = found.end() if found else min(at + 1, len(text))
        return text[at:end], end
    depth = 0
    for sign in _BRACE.finditer(text, at):
        if sign[0] in "{}":
            depth += 1 if sign[0] == "{" else -1
            if not depth:
                return text[at + 1 : sign.start()], sign.end()
    return text[at + 1 :], len(text)


def _switched_on(text: str) -> str:
    """The text without what stands between `\\iffalse` and its `\\fi`, or its `\\else`."""
    kept: list[str] = []
    at = depth = 0
    for found in _SWITCH.finditer(text):
        if not depth:
            if found[1] == "iffalse":
                kept.append(text[at : found.start()])
                at, depth = found.start(), 1
        elif found[1] == "fi" or (found[1] == "else" and depth == 1):
            depth -= 1
            at = found.end()
        elif found[1] != "else":
            depth += 1
    return "".join((*kept, text[at:]))  # all of one that has no end


def _definitions(text: str) -> tuple[str, dict[str, _Macro]]:
    """(The text without its definitions, its own commands)."""
    macros: dict[str, _Macro] = {}
    kept: list[str] = []
    at = 0
    while found := _DEFINITION.search(text, at):
        kept.append(text[at : found.start()])
        at = found.end()
        if found["environment"]:
            _, at = group(text, at)
            at = _after_options(text, at)
            _, at = group(text, at)
            _, at = group(text, at)
            continue
        name = _NAME.match(text, at)
        if not name:
            continue
        at = name.end()
        count, option = 0, None
        if found["def"]:
            parameters = _PARAMETERS.match(text, at)
            count = len(parameters[0]) // 2 if parameters else 0
            at = parameters.end() if parameters else text.find("{", at) if "{" in text[at : at + 100] else at
        elif found["document"]:
            spec, at = group(text, at)
            count = spec.count("m")
        elif number := _COUNT.match(text, at):
            count, at = int(number[1]), number.end()
            if default := _OPTION.match(text, at):
                option, at = default[1], default.end()
        body, at = group(text, at)
        macros[name[1]] = _Macro(count, _filled(body), option)
    return "".join((*kept, text[at:])), macros


def _filled(body: str) -> Callable[[Sequence[str]], str]:
    def write(arguments: Sequence[str]) -> str:
        return re.sub(r"#(\d)", lambda number: arguments[int(number[1]) - 1] if int(number[1]) <= len(arguments) else "", body)

    return write


def _after_options(text: str, at: int) -> int:
    while option := _OPTION.match(text, at):
        at = option.end()
    return at


def _arguments(text: str, at: int, macro: _Macro) -> tuple[list[str], int]:
    found: list[str] = []
    if macro.option is not None:
        given = _OPTION.match(text, at)
        found.append(given[1] if given else macro.option)
        at = given.end() if given else at
    elif macro.reads_option:
        at = _after_options(text, at)
    while len(found) < macro.count:
        argument, at = group(text, at)
        found.append(argument)
    return found, at


def _references(text: str) -> dict[str, _Macro]:
    """The commands that refer to a part of the text, which name the heading with this label."""
    names = {found[2].strip(): found[1] for found in _LABELLED.finditer(text)}

    def write(arguments: Sequence[str]) -> str:
        known = [f"“{names[each]}”" for each in map(str.strip, arguments[0].split(",")) if each in names]
        return ", ".join(known) if known else f"\\ref{{{arguments[0]}}}"

    return {name: _Macro(1, write) for name in ("cref", "Cref", "autoref", "nameref", "ref")} if names else {}


def _unit(written: str) -> str:
    """`\\kilo\\gram\\per\\metre\\squared` → kg/m²."""
    shown: list[str] = []
    power = prefix = ""
    for name, literal in re.findall(r"\\([A-Za-z]+)\s*|([^\\\s]+)", written):
        if literal:
            shown.append(literal.strip("{}").replace(".", "·") if not shown or name else literal.strip("{}"))
        elif name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name == "per":
            shown.append("/")
        elif name in ("square", "cubic"):
            power = "²" if name == "square" else "³"
        elif name in ("squared", "cubed"):
            shown.append("²" if name == "squared" else "³")
        elif name == "tothe":
            shown.append("^")
        else:
            between = "·" if shown and shown[-1] != "/" else ""
            shown.append(f"{between}{prefix}{_UNITS.get(name, name)}{power}")
            power = prefix = ""
    return "".join(shown)


def _amount(*numbers: str, unit: str) -> str:
    shown = _unit(unit).replace("%", "\\%")
    return f"{'–'.join(numbers)}{'' if shown in ('°', '′', '″') else ' '}{shown}".strip()


def _link(arguments: Sequence[str]) -> str:
    target, words = arguments
    return words if target.split("://")[-1].rstrip("/") == words.split("://")[-1].rstrip("/") else f"{words} ({target})"


def _nothing(arguments: Sequence[str]) -> str:
    return ""


def _named(count: int, write: Callable[[Sequence[str]], str], *names: str) -> Iterator[tuple[str, _Macro]]:
    return ((name, _Macro(count, write, reads_option=True)) for name in names)


_KNOWN: Mapping[str, _Macro] = dict(
    (
        *_named(2, lambda given: _amount(given[0], unit=given[1]), "SI", "qty"),
        *_named(3, lambda given: _amount(given[0], given[1], unit=given[2]), "SIrange", "qtyrange"),
        *_named(1, lambda given: _unit(given[0]).replace("%", "\\%"), "si", "unit"),
        *_named(1, lambda given: given[0], "num"),
        *_named(2, lambda given: "–".join(given), "numrange"),
        *_named(1, lambda given: f"{given[0]}°", "ang"),
        *_named(2, _link, "href"),
        *_named(1, lambda given: f" ({given[0]})", "footnote", "footnotetext"),
        *_named(1, lambda given: f" (Comment: {given[0]}) ", "todo"),
        *_named(1, lambda given: f"\n\n{given[0]}\n\n", "caption"),
        *_named(0, _nothing, "xspace"),
        *_named(2, lambda given: f"\n\n{given[1]}\n\n", "captionof"),
        *_named(2, lambda given: given[1], "textcolor", "colorbox"),
        *_named(3, lambda given: given[2], "fcolorbox"),
        *_named(1, _nothing, "color", "rowcolor", "cellcolor", "columncolor", "scalebox", "raisebox", "parbox"),
        *_named(2, _nothing, "setcounter", "addtocounter", "setlength", "addtolength", "rule", "fontsize", "resizebox"),
        *_named(3, _nothing, "specialrule"),
    )
)
"""Commands of packages that are written out: their number of arguments, and what they stand for."""
