"""The escape sequences of roff: signs by their names, and what only says how a text looks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from unicodedata import normalize

_SIGNS = dict(
    pair.split("=", 1)
    for pair in (
        "bu=• em=— en=– hy=- mi=− pl=+ aq=' dq=\" lq=“ rq=” oq=‘ cq=’ Bq=„ bq=‚ Fo=« Fc=» fo=‹ fc=› ti=~ ha=^ ga=` aa=´ rs=\\ sl=/ ul=_ "
        "ba=| br=│ bv=| or=| at=@ sh=# Do=$ Eu=€ eu=€ Po=£ Ye=¥ ct=¢ co=© rg=® tm=™ de=° sd=″ fm=′ sc=§ ps=¶ dg=† dd=‡ mu=× di=÷ +-=± <==≤ "
        ">==≥ !==≠ === ~~=≈ ->=→ <-=← <>=↔ ua=↑ da=↓ rA=⇒ lA=⇐ if=∞ es=∅ mo=∈ sr=√ su=∑ pd=∂ no=¬ tf=∴ OK=✓ ci=○ sq=□ 12=½ 14=¼ 34=¾ "
        "S1=¹ S2=² S3=³ ss=ß ae=æ AE=Æ oe=œ OE=Œ /o=ø /O=Ø -D=Ð Sd=ð TP=Þ Tp=þ r!=¡ r?=¿ "
        "*a=α *b=β *g=γ *d=δ *e=ε *l=λ *m=μ *p=π *s=σ *w=ω *W=Ω *D=Δ lB=[ rB=] lC={ rC=} la=⟨ ra=⟩ Fi=ffi Fl=ffl fi=fi fl=fl ff=ff"
    ).split()
)
"""Name → sign, as groff_char(7) lists them."""
_ACCENTS = dict(zip(":'`^~,ov", map(chr, (776, 769, 768, 770, 771, 807, 778, 780)), strict=True))
"""What stands above or below a letter, in `\\\\(:a` → the character that combines with it."""
_ESCAPE = re.compile(
    r"""\\(?:
    (?P<comment>["\#].*$)
  | \((?P<two>..) | \[(?P<named>[^\]]*)\]
  | \*(?:\((?P<string>..)|\[(?P<strings>[^\]]*)\]|(?P<s>.))
  | [fFkmMngV](?:\(..|\[[^\]]*\]|[+-]?.)
  | s(?:\(..|\[[^\]]*\]|[+-]?\(?\d{1,2}|[+-]?.)
  | [hvwlLDxXZbBCNoRSHA]'[^']*'
  | (?P<written>[\\e.'`-])
  | (?P<space>[ ~0t])
  | [&)|^%:/,acdruzp{}]
  | (?P<other>.)
)""",
    re.VERBOSE,
)


def plain(text: str, strings: Mapping[str, str]) -> str:
    """A line of text with the signs that its escape sequences name. `strings`: those that the file defines, by their names."""
    return _ESCAPE.sub(lambda found: _sign(found, strings), text) if "\\" in text else text


def _sign(found: re.Match[str], strings: Mapping[str, str]) -> str:
    if (name := found["two"] or found["named"]) is not None:
        return _named(name)
    if (string := found["string"] or found["strings"] or found["s"]) is not None:
        return strings.get(string, "")
    if (written := found["written"]) is not None:
        return "\\" if written in "\\e" else written
    if found["space"] is not None:
        return " "
    return found["other"] or ""


def _named(name: str) -> str:
    if name in _SIGNS:
        return _SIGNS[name]
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        return normalize("NFC", name[1] + _ACCENTS[name[0]])
    code = re.fullmatch(r"u([0-9A-F]{4,6})", name)
    return chr(int(code[1], 16)) if code and int(code[1], 16) < 0x110000 else ""
