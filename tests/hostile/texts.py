"""Hostile text files: nesting, endless lines, wrong encodings, file names."""

from __future__ import annotations

import gzip
import json
import string

from footnote.ingest.parse.confluence import make_file
from tests.hostile.case import REFUSED, Case
from tests.hostile.packages import FILE, LAUGHS

DRAWING = "This is a drawing (.svg), which is not supported."
NESTED = "The parts of this mail are nested too deeply."
BINARY = "This file contains binary data, not text."
EMPTY = "This file contains no text"
MACRO = '<ac:structured-macro ac:name="a"><ac:rich-text-body>'
RIGHT_TO_LEFT = "\u202e"
ZERO_WIDTH = "\u200b\u200d\u2060\ufeff"


def page(body: str) -> bytes:
    return f"<!doctype html><html><head><title>T</title></head><body>{body}</body></html>".encode()


def mail(parts: int) -> bytes:
    """Nested multiparts."""
    head = "From: a@b.c\r\nTo: d@e.f\r\nSubject: Deep\r\nMIME-Version: 1.0\r\n"
    open_ = "".join(f'Content-Type: multipart/mixed; boundary="b{i}"\r\n\r\n--b{i}\r\n' for i in range(parts))
    close = "".join(f"\r\n--b{i}--\r\n" for i in reversed(range(parts)))
    return f"{head}{open_}Content-Type: text/plain\r\n\r\nHello.{close}".encode()


def mail_of(content_type: str, body: bytes, encoding: str = "7bit") -> bytes:
    head = (
        f"From: a@b.c\nTo: d@e.f\nSubject: Hi\nMIME-Version: 1.0\nContent-Type: {content_type}\nContent-Transfer-Encoding: {encoding}\n\n"
    )
    return head.encode() + body


def attachments(name: str, *files: bytes) -> bytes:
    head = f"--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename={name}\n\n".encode()
    return mail_of('multipart/mixed; boundary="b"', b"".join(head + file + b"\n" for file in files) + b"--b--")


def aliases() -> str:
    return "a: &a [ha, ha]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefghi", "bcdefghij", strict=True)
    )


def rtf(body: str) -> bytes:
    return rb"{\rtf1\ansi " + body.encode() + b"}"


def notebook(cells: int) -> bytes:
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": ["x = 1\n"], "outputs": []}] * cells}).encode()


def lines(pattern: str, count: int) -> bytes:
    return f"Begin. {pattern * count} End.".encode()


def lying_spans(rows: int) -> bytes:
    return page("<table>" + "<tr><td colspan=9999999 rowspan=9999999>x<td>y</tr>" * rows + "</table>")


def attributes(count: int) -> bytes:
    return page(f"<p {' '.join(f'a{i}=1' for i in range(count))}>Hi.</p>")


def scripts(count: int) -> bytes:
    return page("<script>evil()</script><style>p{}</style><p onclick=evil()>Hi.</p>" * count)


CASES = [
    # --- nesting -------------------------------------------------------------------------------
    Case("HTML 20,000 elements deep", "a.html", lambda: page("<div>" * 20_000 + "Deep."), None, "Deep."),
    Case("HTML 1,000 tables deep", "a.html", lambda: page("<table><tr><td>" * 1_000 + "Deep."), None, "Deep."),
    Case("HTML 5,000 lists deep", "a.html", lambda: page("<ul><li>" * 5_000 + "Deep."), None, "Deep."),
    Case("HTML with 5,000 footers in one another", "a.html", lambda: page("Top.<footer><header>" * 5_000 + "Deep."), None, "Top."),
    Case("a Confluence page 20,000 elements deep", "a.xml", lambda: make_file("1", "T", "<p>Top.</p>" + "<div>" * 20_000), None, "Top."),
    Case("Confluence macros 200 deep", "a.xml", lambda: make_file("1", "T", MACRO * 200 + "Deep."), REFUSED),
    Case("a Confluence page that defines entities", "a.xml", lambda: b"<ac:confluence>" + LAUGHS.encode() + b"&a8;</ac:confluence>", None),
    Case("200 rows of lying spans", "a.html", lambda: lying_spans(200), None, "x"),
    Case("2,000 rows of lying spans", "a.html", lambda: lying_spans(2_000), None, "x"),
    Case("2,000 attributes", "a.html", lambda: attributes(2_000), None, "Hi."),
    Case("20,000 attributes", "a.html", lambda: attributes(20_000), None, "Hi."),
    Case("2,000 scripts and styles", "a.html", lambda: scripts(2_000), None, "Hi."),
    Case("20,000 scripts and styles", "a.html", lambda: scripts(20_000), None, "Hi."),
    Case("entities in an SVG", "a.svg", lambda: f'<?xml version="1.0"?>{LAUGHS}<svg><text>&a8;</text></svg>'.encode(), DRAWING),
    Case("entities in an XML", "a.xml", lambda: f'<?xml version="1.0"?>{LAUGHS}<svg><text>&a8;</text></svg>'.encode(), None, "&a8;"),
    Case("an entity of a file in an XML", "a.xml", lambda: f'<?xml version="1.0"?>{FILE}<x>&a8;</x>'.encode(), None, "&a8;"),
    Case("XML 100,000 elements deep", "a.xml", lambda: b"<a>" * 100_000 + b"Deep.", None, "Deep."),
    Case("JSON 100,000 lists deep", "a.json", lambda: b"[" * 100_000 + b"]" * 100_000, None, "[["),
    Case("JSON 900 objects deep", "a.json", lambda: b'{"a":' * 900 + b"1" + b"}" * 900, None, "1"),
    Case("JSON of one number with 200,000 digits", "a.json", lambda: b'{"a": ' + b"9" * 200_000 + b"}", None, "9"),
    Case("JSON of one number with a million digits", "a.json", lambda: b'{"a": ' + b"9" * 1_000_000 + b"}", None, "9"),
    Case("JSON of 20,000 records", "a.jsonl", lambda: b'{"a": 1}\n' * 20_000, None, "1"),
    Case("JSON of 100,000 keys", "a.json", lambda: json.dumps({f"k{i}": i for i in range(100_000)}).encode(), None, "k1"),
    Case("a notebook of 20,000 cells", "a.ipynb", lambda: notebook(20_000), None, "x = 1"),
    Case("Markdown 10,000 quotes deep", "a.md", lambda: b"> " * 10_000 + b"Deep.", EMPTY),
    Case("Markdown 10,000 lists deep", "a.md", lambda: b"- " * 10_000 + b"Deep.", EMPTY),
    Case("Markdown of 100,000 open brackets", "a.md", lambda: b"[" * 100_000, None, "["),
    Case("Markdown of open links", "a.md", lambda: b"[a](" * 20_000, None, "[a]"),
    Case("Markdown of open emphasis", "a.md", lambda: b"*a_ " * 20_000, None, "a"),
    Case("Markdown of back ticks", "a.md", lambda: b"".join(b"`" * i + b" " for i in range(1, 800)), None, "`"),
    Case("a Markdown table of 10,000 columns", "a.md", lambda: b"|a" * 10_000 + b"\n" + b"|-" * 10_000 + b"\n" + b"|b" * 10_000, None, "b"),
    Case("a Markdown table that is filled up", "a.md", lambda: b"|a" * 3_000 + b"\n" + b"|-" * 3_000 + b"\n" + b"|b\n" * 3_000, None, "b"),
    Case("reStructuredText of open marks", "a.rst", lambda: b"Start.\n\n" + b"`a <\n" * 2_000, None, "a <"),
    Case("reStructuredText 1,000 quotes deep", "a.rst", lambda: b"\n\n".join(b" " * i + b"a" for i in range(1_000)), None, "a"),
    Case("reStructuredText that includes a file", "a.rst", lambda: b"Start.\n\n.. include:: /etc/passwd\n", None, "Start"),
    Case("reStructuredText of open tables", "a.rst", lambda: b"+---+---+\n| a | b\n" * 5_000, None, "a"),
    Case("subtitles of open tags", "a.vtt", lambda: b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + b"<v " * 200_000 + b"a", None, "a"),
    Case(
        "a calendar 20,000 events deep",
        "a.ics",
        lambda: b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Top.\n" + b"BEGIN:VEVENT\n" * 20_000,
        None,
        "Top.",
    ),
    Case("contacts 20,000 deep", "a.vcf", lambda: b"BEGIN:VCARD\nFN:Top.\n" * 20_000, None, "Top."),
    Case("a mail 1,000 parts deep", "a.eml", lambda: mail(1_000), NESTED),
    Case(
        "a mail of 5,000 parts",
        "a.eml",
        lambda: mail_of('multipart/mixed; boundary="b"', b"--b\n\nHello.\n" * 5_000 + b"--b--"),
        None,
        "Hello.",
    ),
    Case(
        "a mail whose boundary never comes",
        "a.eml",
        lambda: mail_of('multipart/mixed; boundary="b"', b"Hello.\n" * 1_000),
        None,
        "From: a@b.c",
    ),
    Case(
        "a mail in a mail in a mail",
        "a.eml",
        lambda: b"Content-Type: message/rfc822\n\n" * 2_000 + mail_of("text/plain", b"Hello."),
        NESTED,
    ),
    Case("a mail of 5,000 attachments", "a.eml", lambda: attachments("/etc/x.txt", *[b"Hi."] * 5_000), None, "Hi."),
    Case("a mail of a mailbox", "a.eml", lambda: attachments("a.mbox", b"From a Fri Dec 16 17:04:16 2022\nA: b\n\n"), None, "a.mbox"),
    Case("a mail of lists 100,000 deep", "a.eml", lambda: attachments("a.json", b"[" * 100_000, b"[" * 100_000), None, "[["),
    Case("YAML 100,000 lists deep", "a.yaml", lambda: b"- " * 100_000 + b"a", None, "- - a"),
    Case("YAML 100,000 objects deep", "a.yaml", lambda: b"{a: " * 100_000, None, "{a: {a"),
    Case("YAML of a billion aliases", "a.yaml", lambda: aliases().encode(), None, "*a, *a"),
    Case("YAML of 40,000 records", "a.yaml", lambda: b"- {a: 1, b: x}\n" * 40_000, None, "1"),
    Case("XML 100,000 elements deep, without a text", "a.xml", lambda: b"<a>" * 100_000, None, "<a><a>"),
    Case("XML of 100,000 records", "a.xml", lambda: b"<a>" + b"<b c='1'/>" * 100_000 + b"</a>", None, "1"),
    Case("XML of a billion laughs", "a.xml", lambda: f"{LAUGHS}<r><i a='1'>&a8;</i><i a='2'/></r>".encode(), None, "ENTITY"),
    Case("a mail in an unknown charset", "a.eml", lambda: mail_of("text/plain; charset=klingon", b"Hello."), None, "Hello."),
    Case("a mail of broken base64", "a.eml", lambda: mail_of("text/plain", b"SGVsbG8u!!!=\x00\xff", "base64"), None, "Hello."),
    Case(
        "a mail with a header of 2 MB",
        "a.eml",
        lambda: mail_of("text/plain", b"Hello.").replace(b"Hi", b"=?utf-8?q?" + b"=41" * 700_000 + b"?="),
        None,
        "Hello.",
    ),
    Case("RTF 100,000 groups deep", "a.rtf", lambda: rtf("{" * 100_000 + "Deep." + "}" * 100_000), "This file is damaged"),
    Case("RTF that never closes", "a.rtf", lambda: rtf("{\\b " * 1_000 + "Deep."), None, "Deep."),
    Case("RTF with lying numbers", "a.rtf", lambda: rtf("\\u99999999999999999999? \\'zz Hi."), None, "Hi."),
    Case("an RTF table of 20,000 cells", "a.rtf", lambda: rtf("\\trowd" + "\\cellx1 x\\cell" * 20_000 + "\\row"), None, "x"),
    # --- lines and columns ---------------------------------------------------------------------
    Case("a line of 13 MB", "a.txt", lambda: b"bridge river " * 1_000_000, None, "bridge"),
    Case("CSV of 10,000 columns", "a.csv", lambda: (b"," * 9_999 + b"x\n") * 30, None, "x"),
    Case("CSV of 20,000 rows", "a.csv", lambda: b"a,b\n" * 20_000, None, "a"),
    Case("CSV whose quote never ends", "a.csv", lambda: b'a,b\n"' + b"x,y\n" * 40_000, None, "x"),
    Case("CSV of quotes", "a.csv", lambda: b'"' * 500_001, None, '"'),
    Case("CSV of one wide row among narrow ones", "a.csv", lambda: b"a,b\n" * 20_000 + b"," * 50_000 + b"x\n", None, "x"),
    # --- patterns ------------------------------------------------------------------------------
    *(
        Case(f"50,000 times {what}", "a.txt", lambda unit=unit: lines(unit, 50_000), None, "End.")
        for what, unit in (
            ("one letter", "a"),
            ("digits", "1"),
            ("digits and dots", "1."),
            ("numbers", "1. "),
            ("dots", "."),
            ("dots and spaces", ". "),
            ("spaces", " "),
            ("hyphens", "-"),
            ("underscores", "_"),
            ("equals signs", "="),
            ("pipes", "|"),
            ("quotes", '."'),
            ("abbreviations", "e.g. "),
            ("initials", "A."),
            ("accents on one letter", "\u0301"),
            ("Hangul", "가"),
            ("hyphenated line ends", "a-\n"),
            ("bullets", "\n- "),
            ("empty lines", "\n \n"),
            ("tabs", "\t"),
            ("at signs", "@"),
            ("brackets", "("),
            ("colons", "a: "),
        )
    ),
    *(
        Case(f"Markdown of 20,000 times {unit!r}", "a.md", lambda unit=unit: lines(unit, 20_000), None, "End.")
        for unit in ("\\", "~", "<", "&", "\n#", "\n1. ", "\n> ", "\n|", "![", "<a ", "&#", "\n```\n")
    ),
    # --- characters ----------------------------------------------------------------------------
    Case("direction marks", "a.txt", lambda: f"pay {RIGHT_TO_LEFT}001 euros{RIGHT_TO_LEFT}".encode(), None, "pay 001 euros"),
    Case("zero-width characters", "a.txt", lambda: f"i{ZERO_WIDTH}gnore{ZERO_WIDTH}".encode(), None, "i\u200dgnore\u200d"),
    Case("lone surrogates in UTF-16", "a.txt", lambda: "Hi.".encode("utf-16") + b"\x00\xd8\x41\x00" * 100, None, "Hi."),
    Case(
        "tags of hidden text", "a.txt", lambda: ("Hi." + "".join(chr(0xE0000 + ord(c)) for c in string.ascii_letters)).encode(), None, "Hi."
    ),
    Case("NULs among letters", "a.txt", lambda: b"Hello.\0" * 1_000, None),
    Case("half of its bytes are no UTF-8", "a.txt", lambda: bytes(range(256)) * 100, BINARY),
    Case("UTF-7 that means a script", "a.html", lambda: b"<html><meta charset=utf-7><body>+ADw-script+AD4-evil", None, "script"),
    Case(
        "a charset that is a codec of Python",
        "a.html",
        lambda: b"<html><meta charset=unicode_escape><body>\\x41\\N{BULLET}Hi.",
        None,
        "Hi.",
    ),
    Case("a charset that unpacks", "a.html", lambda: b"<html><meta charset=zlib_codec><body>Hi.\xe9", None, "Hi."),
    Case("a charset called idna", "a.html", lambda: b"<html><meta charset=idna><body>" + b"Hi.\xe9 " * 20_000, None, "Hi."),
    Case("a charset called punycode", "a.html", lambda: b"<html><meta charset=punycode><body>" + b"Hi.\xe9-a " * 2_000, None, "Hi."),
    Case("one character as big as UTF-32 allows", "a.txt", lambda: b"\xff\xfe\x00\x00H\0\0\0i\0\0\0\xff\xff\xff\x7f", None, "Hi"),
    # --- wrong formats ------------------------------------------------------------------------
    Case("a program called text", "a.txt", lambda: b"\x7fELF\x02\x01\x01" + bytes(100), "This is a program"),
    Case("a picture with HTML behind it", "a.html", lambda: b"GIF89a=1;/*" + page("<p>Hi.</p>"), "This is an image (.gif)"),
    Case("HTML with a PDF's header in it", "a.html", lambda: page("<p>Hi.</p>") + b"%PDF-1.4\n", "This PDF is damaged"),
    Case("a PDF and a ZIP", "a.zip", lambda: b"%PDF-1.4\n" + b"PK\x03\x04" * 100, "This PDF"),
    Case("a gzip bomb", "a.txt.gz", lambda: gzip.compress(bytes(50 << 20)), "This is a compressed archive (.gz)"),
    Case("white space only", "a.txt", lambda: b" \n" * 100_000, EMPTY),
    # --- names ---------------------------------------------------------------------------------
    *(
        Case(f"a name of {what}", name, lambda: b"Hi.", None, "Hi.")
        for what, name in (
            ("1,000 characters", "n" * 996 + ".txt"),
            ("controls", "a\x00\x1b\r\n.txt"),
            ("dots", ".."),
            ("a path", "../../etc/passwd"),
            ("Korean", "보고서.txt"),
            ("emoji", "📄👩‍💻.txt"),
            ("reversed letters", f"a{RIGHT_TO_LEFT}txt.exe"),
            ("a lone surrogate", "a\udc80.txt"),
        )
    ),
]
