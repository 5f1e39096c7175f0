"""Decodes bytes to clean text: detects the encoding and removes characters that are not text."""

from __future__ import annotations

import codecs
import re
import unicodedata

from footnote.errors import UnreadableFile

_BOMS = (  # utf-32 before utf-16: its little-endian mark starts with that of utf-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 1 << 16
_WESTERN = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœŠšŽž€‚„…‘’“”•–—™\xa0¡¢£¥§©ª«¬®°±²³´µ¶·¹º»¼½¾¿×÷")

_SIGN_IN_WORD = re.compile(r"[^\W\d_][¡¢£¥§©¬®°±²³´µ¶¹¼½¾¿×÷][^\W\d_]")
"""`wy³¹czony`: Central European letters, decoded as Western European."""
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]*[\x80-\xff][0-9A-Za-z\x80-\xff]*")
"""A word with bytes beyond ASCII: as long as it can be without a sign of ASCII, which no encoding uses for anything else."""
_LETTER = re.compile(rb"[A-Za-z]")
_DAMAGED = frozenset("ÂÃÿ")
"""What damaged UTF-8 is in Windows-1252 rather than a letter: the first byte of two, and a byte that is in no UTF-8."""
_BEFORE = 1000
"""Bytes before the first word in another encoding, by which this is detected."""
_SUPERSETS = {"iso8859-1": "cp1252", "ascii": "cp1252", "euc_kr": "cp949", "gb2312": "gb18030", "shift_jis": "cp932"}
"""Declared encodings that are read as their Windows supersets, as the WHATWG encoding standard specifies."""

_MULTIBYTE = frozenset(("cp949", "cp932", "gb18030", "big5", "big5hkscs", "euc_jp", "johab", "euc_jis_2004", "shift_jis_2004", "gbk"))

_KEPT_CONTROLS = {"\t", "\n"}
_DROPPED = {chr(c): None for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in _KEPT_CONTROLS}
_CLEAN = str.maketrans(
    _DROPPED
    | dict.fromkeys("\u00ad\u200b\u200e\u200f\u2060\ufeff\ufffe\uffff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    | dict.fromkeys("\u00a0\u2007\u202f", " ")
    | {"\u2028": "\n", "\u2029": "\n\n", "\f": "\n\n", "\v": "\n", "\x85": "\n"}
    | {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
)
_SOFT_HYPHEN_AT_END = re.compile(r"\u00ad[ \t]*\n([ \t]*)(\S+)([ \t]*\n)?[ \t]*")
"""Within a word that goes on in the next line."""
_C1 = re.compile("[\x80-\x9f]")
_MOJIBAKE = re.compile("[\xc2-\xf4][\x80-\xbf]{1,3}")
_BEYOND_ASCII = re.compile("[^\0-\x7f]+")
_SINGLE = re.compile("[\udc80-\udcff]+")
_TWICE = re.compile("[ÂÃâ][^\0-\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Normalises text: NFC, `\\n` line ends; no control, zero-width or direction characters, soft hyphens or ligatures."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _SOFT_HYPHEN_AT_END.sub(r"\2\n\1", text).translate(_CLEAN)
    return unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", text))


def spaced(text: str) -> str:
    """Clean text with collapsed white space; `\\0` becomes a line end, several become an empty line."""
    if "\0" not in text:
        return " ".join(clean(text).split())
    lines = [" ".join(clean(line).split()) for line in text.split("\0")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def decode(data: bytes, declared: str | None = None) -> str:
    """The clean text of a text file. UnreadableFile for binary data.

    `declared`: the encoding that the file names; it is only used if the bytes do not indicate another."""
    text = _decode_unicode(data)
    if text is None:
        if b"\0" in data:
            raise binary()
        text = _decode_escaped(data) or _decode_utf8(data, declared) or _decode_declared(data, declared) or _decode_legacy(data)
    if _share_of_controls(text) > 0.02:
        raise binary()
    return clean(_MOJIBAKE.sub(_repair, text) if _C1.search(text) else _repair_western(text))


def _repair(match: re.Match[str]) -> str:
    """Repairs UTF-8 that was decoded as Latin-1 and encoded as UTF-8 again: `â\\x80\\x93` → `–`."""
    try:
        return match[0].encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return match[0]


def _repair_western(text: str) -> str:
    """Repairs UTF-8 that was decoded as Windows-1252 and encoded as UTF-8 again: `Ã¤` → `ä`. Only where all that is not ASCII was, at
    least twice: a sign after a capital may be meant as it stands."""
    runs = _BEYOND_ASCII.findall(text) if _TWICE.search(text) else ()
    if len(runs) < 2:
        return text
    try:
        return _BEYOND_ASCII.sub(lambda match: match[0].encode("cp1252").decode("utf-8"), text)
    except UnicodeError:
        return text


def binary() -> UnreadableFile:
    """The error for binary data."""
    return UnreadableFile("This file contains binary data, not text.", "Save it as PDF, HTML, Markdown, text or CSV and add it again.")


def _decode_unicode(data: bytes) -> str | None:
    """Decodes by byte order mark, else by the positions of zero bytes."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            rest = data[len(mark) :]
            return (_decode_utf8(rest, None) if encoding == "utf-8" else None) or rest.decode(encoding, "replace")
    sample = data[: _SAMPLE - _SAMPLE % 4]
    if b"\0" not in sample:
        return None
    zeros = [sample[i::4].count(0) for i in range(4)]
    most = 0.9 * (len(sample) // 4)
    if min(zeros[2:]) >= most or min(zeros[:2]) >= most:  # hardly any letter uses the upper two of four bytes
        encoding = "utf-32-le" if min(zeros[2:]) >= most else "utf-32-be"
    else:
        encoding = "utf-16-le" if zeros[1] + zeros[3] > zeros[0] + zeros[2] else "utf-16-be"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text if "\0" not in text and _share_of_controls(text) <= 0.02 and _share_assigned(text) >= 0.98 else None


def _decode_escaped(data: bytes) -> str | None:
    """Decodes ISO-2022 Japanese and Korean, as in e-mails: escape sequences switch between character sets."""
    for encoding in ("iso2022_kr", "iso2022_jp_2") if b"\x1b$" in data else ():
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def _decode_utf8(data: bytes, declared: str | None) -> str | None:
    """Decodes UTF-8, and words that are in an older encoding in that one: files are appended to by different programs."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        words = _WORD.findall(data)
    in_utf8 = {word: _in_utf8(word) for word in set(words)}
    others = [word for word in words if in_utf8[word] is None]
    if len(others) == len(words):
        return None
    if len(words) - len(others) >= 20 * len(others):  # clearly UTF-8: what does not read as words is damaged
        encoding = "cp949" if _share_of_hangul(_strictly(b" ".join(others), "euc_kr") or "") == 1 else ""
    else:
        at = data.find(others[0])
        rest = _WORD.sub(lambda match: b"" if in_utf8.get(match[0]) else match[0], data[max(0, at - _BEFORE) : at + _SAMPLE])
        encoding = _known(declared) or _legacy_encoding(rest)
        # Two bytes of a syllable may be a letter in UTF-8, but that has other letters beside it.
        has_letters = any(text and _LETTER.search(word) for word, text in in_utf8.items())
        if encoding in _MULTIBYTE and not has_letters and _strictly(data, encoding) is not None:
            return None
    read = {word: _word(word, text, encoding).encode() for word, text in in_utf8.items()}
    return _WORD.sub(lambda match: read[match[0]], data).decode()


def _in_utf8(word: bytes) -> str | None:
    """A word in UTF-8, of which a part may be damaged; None if it is in another encoding."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        text = word.decode("utf-8", "surrogateescape")
    damaged = sum(map(len, _SINGLE.findall(text)))
    intact = sum(1 for c in text if c > "\x7f") - damaged
    return _SINGLE.sub(_letter, text) if intact >= 2 * damaged else None


def _word(word: bytes, text: str | None, encoding: str) -> str:
    """A word of a file in UTF-8 and `encoding`; "" = of a damaged file in UTF-8. `text`: as `_in_utf8` reads it."""
    may_be_korean = text is None or (_share_of_hangul(text) < 1 and not _LETTER.search(word))
    if encoding == "cp949" and may_be_korean and _share_of_hangul(_strictly(word, encoding) or "") == 1:
        return word.decode(encoding, "replace")
    if text is None:
        return word.decode(encoding, "replace") if encoding else _SINGLE.sub(_letter, word.decode("utf-8", "surrogateescape"))
    return text


def _letter(match: re.Match[str]) -> str:
    """A byte that is no UTF-8, alone within a word: its letter in Windows-1252, if it is one."""
    letter = chr(ord(match[0]) - 0xDC00) if len(match[0]) == 1 else ""
    return letter if letter.isalpha() and letter in _WESTERN and letter not in _DAMAGED else "\ufffd" * len(match[0])


def _known(declared: str | None) -> str:
    """Python's name of a declared encoding, or of its superset; "" if there is none, and for UTF-8, in which the text would have been
    read before."""
    try:
        name = codecs.lookup(declared).name if declared else ""
        return "" if name == "utf-8" else _SUPERSETS.get(name, name)
    except (LookupError, ValueError):
        return ""


def _decode_declared(data: bytes, declared: str | None) -> str | None:
    try:
        text = data.decode(name, "replace") if (name := _known(declared)) else None
    except (LookupError, ValueError):  # an encoding of Python that is none of text
        return None
    return text if text is not None and text.count("\ufffd") <= len(text) // 100 else None


def _decode_legacy(data: bytes) -> str:
    return data.decode(_legacy_encoding(data[:_SAMPLE]), "replace")


def _legacy_encoding(sample: bytes) -> str:
    """Detects Korean by its syllables, Western European by its letters, others by statistics; falls back to Windows-1252."""
    korean = _strictly(sample, "cp949")
    if korean and _share_of_hangul(korean) >= 0.8 and _share_of_common(korean) >= 0.8:
        return "cp949"
    western = sample.decode("cp1252", "replace")
    high = [c for c in western if c > "\x7f"]
    letters = sum(c.isalpha() for c in western)
    if all(c in _WESTERN for c in high) and sum(c.isalpha() for c in high) < 0.45 * letters and not _SIGN_IN_WORD.search(western):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return best.encoding if best else "cp1252"


def _strictly(sample: bytes, encoding: str) -> str | None:
    decoder = codecs.getincrementaldecoder(encoding)()  # not final, because the sample may end within a character
    try:
        return decoder.decode(sample)
    except UnicodeDecodeError:
        return None


def _share_of_hangul(text: str) -> float:
    high = [c for c in text if c > "\x7f"]
    return sum("가" <= c <= "힣" for c in high) / len(high) if high else 0.0


def _share_of_common(text: str) -> float:
    """The share of syllables that EUC-KR has; CP949 has thousands more that are hardly used, and Japanese looks like those."""
    pairs = "".join(c for c in text if "가" <= c <= "힣").encode("cp949")
    return sum(min(pair) > 0xA0 for pair in zip(pairs[::2], pairs[1::2], strict=True)) / (len(pairs) // 2) if pairs else 0.0


def _share_of_controls(text: str) -> float:
    sample = text[:_SAMPLE]
    return sum(c < " " and c not in "\t\n\r\f\v\x1b\x1a" for c in sample) / len(sample) if sample else 0.0


def _share_assigned(text: str) -> float:
    sample = text[:4096]
    return sum(unicodedata.category(c) not in ("Cn", "Co", "Cs") for c in sample) / len(sample) if sample else 0.0
