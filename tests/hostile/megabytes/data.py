"""Megabytes of tables, JSON, notebooks and source code."""

from __future__ import annotations

import json

from tests.hostile.megabytes.tools import Shapes, fill, halves, series

CSV: Shapes = {
    "with an open quote": lambda: fill("x,y\n", 'a,b\n"'),
    "of quotes": lambda: fill('"', "a,b\n"),
    "of open quotes": lambda: fill('"a,b\n'),
    "of quoted commas": lambda: fill('",",'),
    "of small rows": lambda: fill("a,b\n"),
    "of one column": lambda: fill("a\n"),
    "of one row": lambda: fill("a,", "b\n"),
    "of commas": lambda: fill(","),
    "of rows of commas": lambda: fill("," * 99 + "\n", "a" + ",b" * 99 + "\n", "c\n"),
    "of a wide header": lambda: fill("x\n", "a," * 100_000 + "b\n", "y" + ",y" * 100_000),
    "of a wide row among narrow ones": lambda: fill("a,b\n", "", "," * 100_000 + "x"),
    "of numbers": lambda: series(lambda i: f"{i},{i * 7},{i % 13}\n", "a,b,c\n"),
    "of names": lambda: series(lambda i: f"Person {i},Room {i % 99},+49 30 {i:06}\n", "name,room,phone\n"),
    "of long cells": lambda: fill("word ", "a,b\n1,"),
    "of empty lines": lambda: fill("\n", "a,b\n", "c,d"),
    "of semicolons and commas": lambda: fill("a;b,c\td|e\n"),
    "of carriage returns": lambda: fill("a,b\r"),
    "of wide rows": lambda: fill("a," * 1_000 + "b\n"),
    "of questions": lambda: fill("What does a ticket cost?,It costs two euros on every day.\n", "question,answer\n"),
}  # fmt: skip

JSON: Shapes = {
    "of lists": lambda: halves("[", "]", ""),
    "of open lists": lambda: fill("["),
    "of objects": lambda: halves('{"a":', "}", "1"),
    "of open objects": lambda: fill('{"a":'),
    "of an open text": lambda: fill("a", '{"a": "'),
    "of open texts": lambda: fill('"'),
    "of keys": lambda: series(lambda i: f'"k{i}":{i},', "{", '"z":1}'),
    "of lists 90 deep": lambda: fill("[" * 90 + "1" + "]" * 90 + ",", "[", "1]"),
    "of objects 90 deep": lambda: fill('{"a":' * 90 + "1" + "}" * 90 + ",", "[", "1]"),
    "of objects of tables": lambda: fill('{"a":[{"b":1},{"b":2}]},', "[", '{"a":[]}]'),
    "of records": lambda: fill('{"a":1,"b":2},', "[", '{"a":1}]'),
    "of records of other keys": lambda: series(lambda i: f'{{"k{i}":1}},', "[", '{"a":1}]'),
    "of numbers": lambda: fill("1,", "[", "1]"),
    "of one number": lambda: fill("9"),
    "of empty lists": lambda: fill("[],", "[", "1]"),
    "of long texts": lambda: b'{"a": "' + fill("word ") + b'"}',
    "of a list of objects that hold each other's names": lambda: series(
        lambda i: f'{{"name":"n{i}","of":{{"name":"n{i + 1}"}}}},', "[", '{"a":1}]'
    ),
    "of nested records": lambda: json.dumps([{"title": f"t{i}", "of": {"a": [1, 2, {"b": 3}]}} for i in range(22_000)]).encode(),
}  # fmt: skip
JSONL: Shapes = {
    "of records": lambda: fill('{"a": 1}\n'),
    "of lists": lambda: fill("[1]\n"),
    "of open records": lambda: fill('{"a": 1\n'),
    "of numbers": lambda: fill("1\n"),
    "of deep records": lambda: fill('{"a":' * 90 + "1" + "}" * 90 + "\n"),
    "of other keys": lambda: series(lambda i: f'{{"k{i}": "a"}}\n'),
}
NOTEBOOK: Shapes = {
    "of cells": lambda: fill(
        '{"cell_type":"code","source":["x"],"outputs":[]},', '{"nbformat":4,"cells":[', '{"cell_type":"markdown","source":"a"}]}'
    ),
    "of texts": lambda: fill(
        '{"cell_type":"markdown","source":"# a"},', '{"nbformat":4,"cells":[', '{"cell_type":"markdown","source":"a"}]}'
    ),
    "of list marks": lambda: fill("- ", '{"nbformat":4,"cells":[{"cell_type":"markdown","source":"', '"}]}'),
    "of pages": lambda: fill("<div>", '{"nbformat":4,"cells":[{"cell_type":"markdown","source":"', '"}]}'),
}
CODE: dict[str, Shapes] = {
    "a.yaml": {
        "of deeper keys": lambda: series(lambda i: " " * (i % 500) + "a:\n"),
        "of lists": lambda: fill("- ", "", "a"),
        "of open lists": lambda: fill("["),
        "of keys": lambda: series(lambda i: f"k{i}: v\n"),
        "of anchors": lambda: series(lambda i: f"a{i}: &a{i} [*a{max(i - 1, 0)}, *a{max(i - 1, 0)}]\n"),
        "of items": lambda: fill("- a\n"),
        "of open quotes": lambda: fill('a: "\n'),
    },
    "a.xml": {
        "of open elements": lambda: fill("<a>", '<?xml version="1.0"?>', "Deep."),
        "of elements": lambda: halves("<a>", "</a>"),
        "of small elements": lambda: fill("<a>b</a>", "<x>", "</x>"),
        "in one line": lambda: fill("<a b='c'/>", "<x>", "</x>"),
        "of <": lambda: fill("<"),
        "of open comments": lambda: fill("<!--"),
    },
    "a.toml": {
        "of tables": lambda: series(lambda i: f"[a{i}]\nb = 1\n"),
        "of open lists": lambda: fill("["),
        "of keys": lambda: series(lambda i: f"k{i} = 1\n"),
        "of one deep key": lambda: fill("a.", "", "b = 1"),
    },
    "a.ini": {"of sections": lambda: fill("[a]\nb=1\n"), "of keys": lambda: fill("a=1\n")},
    "a.properties": {"of open lines": lambda: fill("a=b\\\n")},
    "a.py": {
        "of open brackets": lambda: fill("("),
        "of functions": lambda: series(lambda i: f"def f{i}():\n    pass\n\n\n"),
        "of nested blocks": lambda: series(lambda i: " " * (i % 300) + "if a:\n"),
        "of comments": lambda: fill("# a\n"),
        "of empty lines": lambda: fill("a\n\n\n"),
        "in one line": lambda: fill("a = 1; "),
        "of one word": lambda: fill("a"),
        "of open texts": lambda: fill('"""a\n'),
        "of @": lambda: fill("@a\n"),
        "of classes": lambda: series(lambda i: f"class A{i}:\n    def f(self): ...\n"),
    },
    "a.c": {
        "of braces": lambda: fill("{\n"),
        "of open comments": lambda: fill("/* a\n"),
        "of functions": lambda: series(lambda i: f"int f{i}() {{ return 1; }}\n\n"),
        "in one line": lambda: fill("a();"),
    },
    "a.js": {"in one line": lambda: fill("a(function(){"), "of minified code": lambda: fill("var a=1,b=function(c){return c+1};")},
    "a.sql": {"of rows": lambda: series(lambda i: f"INSERT INTO t VALUES ({i}, 'a');\n")},
    "a.css": {"of rules": lambda: fill("a{b:c}")},
    "a.diff": {"of lines": lambda: fill("+a\n-b\n")},
}  # fmt: skip
