"""Prompts: what a template may do, where it comes from, and that values are never templates."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.store import open_store
from footnote.errors import BadRequest, FootnoteError, NotFound, StoreUnavailable
from footnote.prompts import LANGUAGES, Prompts, prompt_names, read_packaged
from footnote.prompts.rules import LONGEST, Shape, check_template, learn_values
from footnote.prompts.store import list_versions, read_version, reset_prompt, restore_prompt, save_prompt
from tests.conftest import HandClock

DOCUMENT = {"id": "bridge", "title": "Bridge", "section": "", "page": 3, "file": "", "date": "", "text": "Built in 1894."}
KNOWN = learn_values(read_packaged("answer_footnote", lang) for lang in LANGUAGES)
HOSTILE = "{{ 7*7 }} {% for x in range(99) %}x{% endfor %} {{ ''.__class__ }} {# gone #}"


@pytest.mark.parametrize("name", prompt_names())
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_packaged_prompt_exists_in_each_language_and_is_valid(name: str, lang: str) -> None:
    check_template(read_packaged(name, lang), learn_values(read_packaged(name, each) for each in LANGUAGES))


def test_a_prompt_may_show_the_values_that_its_packaged_texts_show() -> None:
    assert KNOWN.paths() == [f"documents[].{part}" for part in ("date", "file", "id", "page", "section", "text", "title")]
    assert learn_values(["{% for a in xs %}{{ q }}{% for b in a.ys %}{{ b }}{{ loop.index }}{% endfor %}{% endfor %}"]).paths() == [
        "q", "xs[].ys[]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "template",
    [
        "Use {{ documents[0].title|upper }}.",
        "{% for d in documents if d.page %}{{ loop.index }}: {{ d.text|trim|lower }}{% else %}none{% endfor %}",
        "{{ documents[0]['text'] if documents else 'nothing' }}",
        "{% if documents|length > 1 and not documents[0].page is none %}several{% endif %}",
        "{# a comment #}{% raw %}{{ not a value }}{% endraw %}",
    ],
)
def test_a_template_that_shows_its_values_is_accepted(template: str) -> None:
    check_template(template, KNOWN)


@pytest.mark.timeout(30)  # some would take hours
@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\n\n{% for d in documents %}", "Line 3: Unexpected end of template"),
        ("a\n{% endif %}", "Line 2: Encountered unknown tag 'endif'."),
        ("a\n{{ question }}", "Line 2: the prompt has no value `question`; it has `documents`."),
        ("{% if false %}\n{{ documents[0].body }}{% endif %}", "Line 2: `documents[0]` has no value `body`; it has `date`, `file`"),
        ("{{ documents[0].__class__ }}", "Line 1: `documents[0]` has no value `__class__`"),
        ("{{ ''.__class__.__mro__ }}", "Line 1: only the prompt's values and their parts can be used here."),
        ("{{ documents[0].text.upper() }}", "Line 1: calls are not allowed; a prompt only shows its values."),
        ("\n{% for i in range(10**9) %}x{% endfor %}", "Line 2: a loop must be `for item in list`, over a list of the prompt."),
        ("{% for a in documents %}\n{% for b in documents %}{% endfor %}{% endfor %}", "Line 2: an inner loop must go over a part"),
        ("{% for c in documents[0].text %}{% endfor %}", "Line 1: `documents[0].text` is not a list."),
        ("{% for d in documents recursive %}{{ loop(documents) }}{% endfor %}", "Line 1: a loop must be `for item in list`"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "Line 1: `macro` is not allowed."),
        ("{% set a = 'x' %}", "Line 1: `set` is not allowed."),
        ("{{ 'x' * 999999999 }}", "Line 1: arithmetic is not allowed."),
        ("{{ 9 ** 999999999 }}", "Line 1: arithmetic is not allowed."),
        ("{{ 'x'|center(999999999) }}", "Line 1: the filter `center` is not allowed; allowed are capitalize, count"),
        ("{{ documents[0].text|join('xx')|join('xx') }}", "Line 1: `join` must be applied to a value of the prompt."),
        ("{{ documents|tojson|tojson|tojson|tojson }}", "Line 1: at most 3 filters can be chained."),
        ("{% include 'secret' %}", "Line 1: `include` is not allowed."),
        ("\n{{ documents[9].id }}", "Line 2: rendering with example values fails: list object has no element 9."),
        ("\n{% if documents < 3 %}{% endif %}", "Line 2: rendering with example values fails: '<' not supported"),
        ("{{" + "(" * 5000 + "1" + ")" * 5000 + "}}", "The template is nested too deeply."),
        ("x" * (LONGEST + 1), "The template has 20,001 characters; 20,000 are allowed."),
        (" \n", "The template is empty"),
        ("half \ud800", "not valid Unicode"),
    ],
)  # fmt: skip
def test_a_template_that_could_fail_is_refused_with_its_line_and_the_reason(template: str, message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        check_template(template, KNOWN)
    assert message in refused.value.detail


@pytest.mark.sample
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", prompt_names())
def test_a_value_is_never_a_template(name: str, lang: str) -> None:
    shape = learn_values(read_packaged(name, each) for each in LANGUAGES)

    def hostile(part: Shape) -> Any:
        if part.item is not None:
            return [hostile(part.item)]
        return {key: hostile(each) for key, each in part.parts.items()} or HOSTILE

    values = {key: hostile(part) for key, part in shape.parts.items()}
    rendered = Prompts().render(name, lang, values)
    assert "49" not in rendered
    assert "class 'str'" not in rendered
    assert HOSTILE in rendered or not name.startswith("answer_")


def test_an_unknown_prompt_is_an_error() -> None:
    with pytest.raises(FootnoteError, match="There is no prompt “nothing”"):
        Prompts().render("nothing", "en", {})


# --- saved prompts ---------------------------------------------------------------------------------

KEY = "answer_footnote.en"


class Down:
    """A cache that is down."""

    async def get(self, *_: Any) -> Any:
        raise StoreUnavailable("down")

    put = delete = get


@pytest.fixture
async def stores(tmp_path: Path, clock: HandClock) -> AsyncIterator[dict[str, Any]]:
    database = open_store(tmp_path)
    yield {"records": SqliteRecords(database, clock), "cache": SqliteCache(database, clock)}
    database.close()


async def test_a_saved_prompt_replaces_the_packaged_one_in_its_language_only(stores: Any) -> None:
    prompts = Prompts()
    assert await save_prompt(KEY, "Say {{ documents[0].title }}.", by="ann", **stores) == 1
    await prompts.load(**stores)
    assert prompts.render("answer_footnote", "en", {"documents": [DOCUMENT]}) == "Say Bridge."
    assert prompts.render("answer_footnote", "ja", {"documents": [DOCUMENT]}) == "Say Bridge."
    for lang in ("de", "ko"):
        rendered = prompts.render("answer_footnote", lang, {"documents": [DOCUMENT]})
        assert rendered == Prompts().render("answer_footnote", lang, {"documents": [DOCUMENT]})


async def test_every_save_is_a_version_and_an_earlier_one_can_be_restored(stores: Any, clock: HandClock) -> None:
    prompts = Prompts()
    for number, text in enumerate(("one", "two"), 1):
        assert await save_prompt(KEY, text, by="ann", **stores) == number
        clock.advance(1)
    await restore_prompt(KEY, 1, by="bob", **stores)
    await prompts.load(**stores)
    assert (prompts.render("answer_footnote", "en", {}), prompts.saved[KEY].version, prompts.saved[KEY].saved_by) == ("one", 1, "bob")
    assert await save_prompt(KEY, "three", by="ann", **stores) == 3
    assert [(each.version, each.saved_by) for each in await list_versions(KEY, stores["records"])] == [(3, "ann"), (2, "ann"), (1, "ann")]
    assert await read_version(KEY, 2, stores["records"]) == "two"
    with pytest.raises(NotFound):
        await restore_prompt(KEY, 9, by="ann", **stores)


async def test_after_a_reset_the_packaged_text_is_current_and_the_versions_stay(stores: Any) -> None:
    prompts = Prompts()
    await save_prompt(KEY, "mine", by="ann", **stores)
    await prompts.load(**stores)
    await reset_prompt(KEY, **stores)
    await prompts.load(**stores)
    assert prompts.render("answer_footnote", "en", {"documents": [DOCUMENT]}).startswith("You answer questions")
    assert await save_prompt(KEY, "again", by="ann", **stores) == 2


async def test_a_cache_hit_does_not_read_the_store_and_a_miss_fills_the_cache(stores: Any, clock: HandClock) -> None:
    await save_prompt(KEY, "mine", by="ann", **stores)
    prompts = Prompts()
    await prompts.load(**stores)
    assert (await stores["cache"].get("prompts"))[KEY]["template"] == "mine"
    await stores["records"].delete("prompt", KEY)  # behind the cache's back
    await prompts.load(**stores)
    assert prompts.render("answer_footnote", "en", {}) == "mine"
    clock.advance(30)
    await prompts.load(**stores)
    assert prompts.saved == {}


async def test_a_cache_that_is_down_only_costs_speed(stores: Any) -> None:
    prompts = Prompts()
    await save_prompt(KEY, "mine", by="ann", records=stores["records"], cache=Down())
    await prompts.load(stores["records"], Down())
    assert prompts.render("answer_footnote", "en", {}) == "mine"


async def test_a_save_while_the_cache_is_being_filled_is_not_overwritten(stores: Any) -> None:
    class Slow(SqliteCache):
        async def put(self, key: str, value: Any, ttl_s: float) -> None:
            await save_prompt(KEY, "new", by="ann", **stores)
            await super().put(key, value, ttl_s)

    await save_prompt(KEY, "old", by="ann", **stores)
    await Prompts().load(stores["records"], Slow(stores["cache"]._database, stores["cache"]._clock))
    prompts = Prompts()
    await prompts.load(**stores)
    assert prompts.render("answer_footnote", "en", {}) == "new"


async def test_a_saved_prompt_that_fails_is_replaced_by_the_packaged_one(stores: Any) -> None:
    prompts = Prompts()
    for lang, template in {"en": "{{ documents[1].id }}", "de": "{% broken"}.items():
        await save_prompt(f"answer_footnote.{lang}", template, by="ann", **stores)
    await prompts.load(**stores)
    for lang in ("en", "de"):
        rendered = prompts.render("answer_footnote", lang, {"documents": [DOCUMENT]})
        assert rendered == Prompts().render("answer_footnote", lang, {"documents": [DOCUMENT]})
