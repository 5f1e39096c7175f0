"""What the server says in English and the page shows in other languages: why a file cannot be read and what to do, why a source was not
synced, what a backend lacks. Every sentence of the code has a translation, and every translation a sentence.

`python -m tests.test_server_sentences` prints the sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from footnote.adapters.http.reranker import REFUSED
from footnote.adapters.http.verifier import REFUSED as REFUSED_CLAIMS
from footnote.answer.messages import MESSAGES

ROOT = Path(__file__).parents[1]
CORE = ROOT / "layers/common/footnote"
CATALOGUES = ROOT / "functions/query/footnote_query/web/i18n"
LANGUAGES = ("de", "ko")
PARTS = ("reasons", "sources", "backends")

MODULES = sorted(
    path
    for path in (
        *CORE.glob("ingest/**/*.py"),
        *CORE.glob("adapters/**/*.py"),
        CORE / "bootstrap/embedders.py",
        CORE / "bootstrap/sources.py",
        CORE / "bootstrap/vectors.py",
        CORE / "plugins.py",
        CORE / "collections/service.py",
        CORE / "settings/saved_model.py",
        ROOT / "functions/query/footnote_query/admin_health.py",
        ROOT / "functions/ingest/footnote_ingest/source_schedule.py",
    )
    if path.name not in ("turns.py", "records.py", "reindex_copy.py")
)
"""Where the sentences are written; the rest of the code writes problems of requests."""
OF_REQUESTS = {"BadRequest", "Rejected", "NotFound", "Conflict", "StillRunning", "Unauthorized", "Forbidden", "TooManyRequests"}
"""Errors that a request meets at once. Only those of sources are kept and shown later."""
OF_SOURCES = re.compile(r"/adapters/\w+/(?:source|egress)|/adapters/confluence/|/ingest/(?:sync|source_lease|wiki)|/bootstrap/sources")
UNSEEN_OBJECTS, UNSEEN_CALLS = {"log", "re"}, {"Field", "Message", "compile"}
"""What is called with strings that nobody reads as a reason."""
SENTENCE = re.compile(r"(?=.* )(?=.*\b[a-z]{2,}\b)(?!.* [=<]=? )[\w{-].*\S[.?!]", re.DOTALL)
END = re.compile(r"(?<=[.!?]) (?=\S)")
"""Where functions/query/footnote_query/web/sentences.js divides a text."""

NAMES_OF_FORMATS = {"ingest/parse/detect.py": r"an? .*[^.]|\.\w+ or \.?\w+"}
"""Module → the strings in it that are inserted into “This is {}, which is not supported.” and “Save it as {} and add it again.”"""
ARGUMENTS = {"_suspicious": 0, "JsonClient": 1}
"""Function → its argument that is inserted into a sentence."""
ROLES = ("text", "date", "rating")
"""Columns of voices that a file may lack."""
ELSEWHERE = {
    "{} of {} initial documents are ready.",  # footnote_local/server.py
    "Tools: {}", "Terms: {}", "{}: empty answers", "{}: not configured; its collections are searched by words only.",
    "Cut along its headings and paragraphs, not by meaning: {}",
    "{} voices were read ({}).",
    "Kept as text: {} and {} more.", "The file has no column {} and {} more, which the collection's settings name.",
    "one of {}", "one of {}; and {}", "none", "text alone", "not set",
}  # fmt: skip
"""Sentences that are put together from several strings or do not end in a full stop, and what else is inserted into sentences."""

Strings = Mapping[str, ast.expr]
"""Name of a module's constant → its string."""


def wordings(node: ast.AST, constants: Strings) -> list[str]:
    """What a string or f-string may say, with {} for inserted values; [] for anything else."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if not isinstance(node, ast.JoinedStr):
        return []
    parts = [wordings(part, constants) if isinstance(part, ast.Constant) else inserted(part, constants) for part in node.values]
    return ["".join(part) for part in product(*parts)]


def inserted(part: ast.expr, constants: Strings) -> list[str]:
    """What stands for a value in an f-string: the text of a constant or of either choice, else {}."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    if isinstance(value, ast.Name) and value.id in constants:
        return wordings(constants[value.id], constants)
    if isinstance(value, ast.IfExp):
        return [*wordings(value.body, constants), *wordings(value.orelse, constants)] or ["{}"]
    return ["{}"]


@cache
def said_by(path: Path) -> frozenset[str]:
    """The sentences of a module."""
    tree = ast.parse(path.read_text("utf-8"))
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and wordings(node.value, {})
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    unseen = set(unseen_in(tree, OF_SOURCES.search(path.as_posix()) is not None))
    uses = [(node.id, node) for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    for name, value in constants.items():
        own = [node for used, node in uses if used == name]
        if own and all(node in unseen for node in own):
            unseen |= set(ast.walk(value))
    found = {text for node in ast.walk(tree) if node not in unseen for text in wordings(node, constants)}
    return frozenset(text for text in found if SENTENCE.fullmatch(text))


def unseen_in(tree: ast.AST, is_source: bool) -> Iterator[ast.AST]:
    """Docstrings, the insides of f-strings, and strings for other readers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield from (inner for part in node.values for inner in ast.walk(part))
        elif any(is_unseen(called, is_source) for called in called_by(node)):
            yield from ast.walk(node)


def called_by(node: ast.AST) -> list[ast.expr]:
    """What is called, also later: some tables hold (error, detail)."""
    return [node.func] if isinstance(node, ast.Call) else node.elts[:1] if isinstance(node, ast.Tuple) else []


def is_unseen(called: ast.expr, is_source: bool) -> bool:
    if isinstance(called, ast.Attribute):
        return called.attr in UNSEEN_CALLS or (isinstance(called.value, ast.Name) and called.value.id in UNSEEN_OBJECTS)
    return isinstance(called, ast.Name) and (called.id in UNSEEN_CALLS or (called.id in OF_REQUESTS and not is_source))


def parts_of_sentences() -> Iterator[str]:
    """What is inserted into sentences and has a translation, too."""
    for name, pattern in NAMES_OF_FORMATS.items():
        strings = [node.value for node in ast.walk(ast.parse((CORE / name).read_text("utf-8"))) if isinstance(node, ast.Constant)]
        yield from (text for text in strings if isinstance(text, str) and re.fullmatch(pattern, text))
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ARGUMENTS:
                yield from wordings(node.args[ARGUMENTS[node.func.id]], {})
    yield from (text for text in (*REFUSED.values(), *REFUSED_CLAIMS.values()) if " " in text)
    yield from (" or ".join(some) for count in (1, 2, 3) for some in combinations(ROLES, count))


def said_about_models() -> Iterator[str]:
    """Which model answers or why there is none. A template of a single word (“{} at {}”) would match anything."""
    keys = re.findall(r'"([a-z_]+)"', (CORE / "answer/model_source.py").read_text("utf-8"))
    for key in (key for key in keys if key in MESSAGES and key != "model_configured"):
        yield re.sub(r"\{\w+\}", "{}", MESSAGES[key]["en"])
    yield re.sub(r"\{\w+\}", "{}", MESSAGES["no_server"]["en"]) + ", {}"


@cache
def sentences() -> frozenset[str]:
    """Every sentence by itself, and every translated part of one."""
    texts = {text for path in MODULES for text in said_by(path)} | set(said_about_models()) | ELSEWHERE
    return frozenset(piece for text in texts for piece in END.split(text.strip())) | frozenset(parts_of_sentences())


def catalogue(language: str, parts: Sequence[str] = PARTS) -> dict[str, str]:
    """English → a language. An object of JavaScript with quoted keys is one of Python, too."""
    found: dict[str, str] = {}
    for part in parts:
        body = (CATALOGUES / f"{language}.{part}.js").read_text("utf-8").split("export default ")[1]
        entries = ast.literal_eval(re.sub(r"^  //.*$", "", body, flags=re.MULTILINE))
        assert found.keys() & entries.keys() == set()
        found |= entries
    return found


def placeholders(text: str) -> list[str]:
    return re.findall(r"\{\d?\}", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_the_server_has_a_translation_and_the_reverse(language: str) -> None:
    assert len(sentences()) > 400
    assert sorted(sentences() - catalogue(language).keys()) == []
    assert sorted(catalogue(language).keys() - sentences()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_shows_each_inserted_value_once_in_order_or_by_its_number(language: str) -> None:
    for sentence, translation in catalogue(language).items():
        count = sentence.count("{}")
        assert placeholders(translation) == ["{}"] * count or sorted(placeholders(translation)) == [f"{{{n}}}" for n in range(1, count + 1)]


def test_the_page_speaks_of_its_form_where_a_sentence_names_settings_of_the_model() -> None:
    own, named = catalogue("en", ["backends"]), re.compile(r"LLM__(?!CONTEXT_WINDOW)|footnote model")
    assert own.keys() == {sentence for sentence in sentences() if named.search(sentence)}
    assert [said for language in ("en", *LANGUAGES) for said in catalogue(language, ["backends"]).values() if named.search(said)] == []


def test_translations_are_in_the_language_of_their_catalogue() -> None:
    german, korean = catalogue("de"), catalogue("ko")
    assert [text for text, said in korean.items() if not re.search("[가-힣]", said) and re.search(r"[a-z]{3} [a-z]{3}", text)] == []
    assert [text for text, said in german.items() if said == text] == []


def test_the_collection_finds_reasons_however_they_are_written() -> None:
    wanted = {
        "This is {}, which is not supported.",  # an f-string of a function
        "an image (.png)",  # a row of a table
        "The index contains a newer version of this file.",  # a constant
        "{} of {} pages ({}) contains only images.",  # one of two wordings
        "Add the space to CONFLUENCE__SPACES, then add the page again.",  # a constant within an f-string
        "The search engine is overloaded.",  # a value of a dictionary
        "The reranker",  # a name that is inserted
        "Documents are found by their words only.",  # the state of a backend
    }
    assert wanted - sentences() == set()


def test_a_sentence_without_a_translation_is_noticed(tmp_path: Path) -> None:
    written = tmp_path / "parser.py"
    written.write_text(
        '"""Not a reason."""\nSPLIT = "Split it in two."\nUNKNOWN = "There is no such moon."\n'
        "def parse(size):\n"
        '    log.info("Not a reason, either.")\n'
        "    if size < 0:\n        raise NotFound(UNKNOWN)\n"
        "    if size > 3:\n        raise UnreadableFile(f\"The {size} moons {'are' if size > 1 else 'is'} too large.\", SPLIT)\n"
    )
    assert said_by(written) == {"Split it in two.", "The {} moons are too large.", "The {} moons is too large."}


if __name__ == "__main__":
    print(*sorted(sentences()), sep="\n")
