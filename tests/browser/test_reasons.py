"""What the server says in English, on the page in the reader's language: why a file cannot be read and what to do, what a sync left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import serving
from tests.browser.test_documents import BROKEN, upload
from tests.test_server_sentences import catalogue

Open = Callable[..., Any]

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)
WHY = {
    "en": ("This PDF is damaged.", "Open it in a PDF reader, save it again and add the new file."),
    "de": (
        "Diese PDF-Datei ist beschädigt.",
        "Öffnen Sie sie in einem PDF-Programm, speichern Sie sie erneut und fügen Sie die neue Datei hinzu.",
    ),
    "ko": ("이 PDF는 손상되었습니다.", "PDF 프로그램에서 열어 다시 저장한 다음 새 파일을 추가하세요."),
}
WHAT = {
    "en": "This is an image (.png), which is not supported.",
    "de": "Das ist ein Bild (.png). Dieses Format wird nicht unterstützt.",
    "ko": "이미지(.png)입니다. 지원하지 않는 형식입니다.",
}
FAILED = {"en": "broken.pdf failed.", "de": "broken.pdf: fehlgeschlagen.", "ko": "broken.pdf: 실패했습니다."}
TRANSLATED = """async texts => {
  const { loadTranslations, translated } = await import('/web/i18n.js')
  await loadTranslations()
  return texts.map(translated)
}"""


def shows_why(page: Page, language: str) -> None:
    expect(page.locator("#document-list li .why span")).to_have_text(WHY[language])
    expect(upload(page, "broken.pdf").locator(".why span")).to_have_text(WHY[language])
    expect(page.locator("#documents-status")).to_have_text(f"{FAILED[language]} {WHY[language][0]}")


@pytest.mark.parametrize(("first", "then"), [("de", "ko"), ("ko", "de"), ("en", "de")])
def test_a_failed_upload_says_why_in_the_readers_language_also_after_a_change(
    open_screen: Open, server: str, first: str, then: str, tmp_path: Path
) -> None:
    screen = open_screen(server, locale=first)
    page: Page = screen.page
    screen.pick({"broken.pdf": BROKEN})
    shows_why(page, first)
    screen.picture(tmp_path / f"{first}.png")
    for language in (then, "en", first):
        page.locator("#language").select_option(language)
        shows_why(page, language)


@pytest.mark.parametrize("language", ["de", "ko"])
def test_a_format_is_named_in_the_readers_language_and_the_saved_list_says_it_too(open_screen: Open, server: str, language: str) -> None:
    screen = open_screen(server, locale=language)
    page: Page = screen.page
    screen.pick({"photo.png": PICTURE})
    expect(upload(page, "photo.png").locator(".why span").first).to_have_text(WHAT[language])
    with page.expect_download() as download:
        page.locator("#uploads-list").click()
    assert WHAT[language] in Path(download.value.path()).read_text("utf-8-sig")


@pytest.mark.parametrize("language", ["de", "ko"])
def test_the_page_translates_every_sentence_with_what_the_server_inserts(open_screen: Open, server: str, language: str) -> None:
    values = ("7", "8", "9", "10", "11", "12")
    page = open_screen(server, locale=language).page
    wanted = {filled(text, values): filled(said, values) for text, said in catalogue(language).items()}
    assert dict(zip(wanted, page.evaluate(TRANSLATED, list(wanted)), strict=True)) == wanted


def filled(text: str, values: tuple[str, ...]) -> str:
    following = iter(values)
    return re.sub(r"\{(\d?)\}", lambda found: values[int(found[1]) - 1] if found[1] else next(following), text)


def test_several_sentences_numbers_and_untranslated_ones_are_shown_well(open_screen: Open, server: str) -> None:
    page = open_screen(server, locale="de").page
    wanted = {
        "Only the first 10,000,000 characters were read. Hidden sheets were left out: 2.": (
            "Nur die ersten 10.000.000 Zeichen wurden gelesen. Ausgelassene verborgene Tabellenblätter: 2."
        ),
        "The file has 51.5 MB; 50 MB are allowed. Split it.": "Die Datei hat 51,5 MB, erlaubt sind 50 MB. Teilen Sie sie auf.",
        "Cut along its headings and paragraphs, not by meaning: it is too long for that.": (
            "Nach Überschriften und Absätzen zerlegt, nicht nach Bedeutung: Die Datei ist dafür zu lang."
        ),
        "The key of this space is A. B. Upper and lower case count.": (
            "Der Schlüssel dieses Bereichs ist A. B. Groß- und Kleinschreibung zählen."
        ),
        "The moon is full. Try again later.": "The moon is full. Versuchen Sie es später erneut.",
        "constructor": "constructor",
    }
    assert dict(zip(wanted, page.evaluate(TRANSLATED, list(wanted)), strict=True)) == wanted


def test_translations_are_loaded_when_the_server_says_something_that_needs_one(open_screen: Open, tmp_path: Path) -> None:
    with serving(tmp_path / "data", LLM__DISCOVER="false", EMBEDDING__BUILTIN="false") as server:
        screen = open_screen(server, locale="de")
        page: Page = screen.page
        screen.pick({"letter.txt": b"Letters reach the harbour master on Mondays."})
        expect(page.locator("#document-list li")).to_have_attribute("data-state", "READY")
        assert translations(screen) == []
        page.locator("#language").select_option("en")
        screen.pick({"broken.pdf": BROKEN})
        expect(upload(page, "broken.pdf").locator(".why span")).to_have_text(WHY["en"])
        assert translations(screen) == []
        page.locator("#language").select_option("de")
        expect(upload(page, "broken.pdf").locator(".why span")).to_have_text(WHY["de"])
        assert translations(screen) == ["de.backends.js", "de.reasons.js", "de.sources.js"]


def translations(screen: Any) -> list[str]:
    return sorted(url.split("/")[-1] for url in screen.requests if re.search(r"/\w+\.(?:reasons|sources|backends)\.js$", url))


def test_without_a_translation_the_page_says_it_in_english_and_tries_again_later(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    page: Page = screen.page
    page.route("**/de.backends.js", lambda route: route.abort())
    screen.pick({"broken.pdf": BROKEN})
    shows_why(page, "en")
    page.locator("#language").select_option("de")
    expect(page.locator("#documents-status")).to_have_text(f"{FAILED['de']} {WHY['en'][0]}")
    expect(upload(page, "broken.pdf").locator(".why span")).to_have_text(WHY["en"])
    page.unroute("**/de.backends.js")
    page.locator("#language").select_option("en")
    page.locator("#language").select_option("de")
    shows_why(page, "de")
    assert [complaint for complaint in screen.complaints if "net::ERR_FAILED" not in complaint] == []
    screen.complaints.clear()


def test_what_a_sync_left_out_is_said_in_the_readers_language(open_screen: Open, server: str) -> None:
    failure = {"name": "old.doc", "reason": "The file changes while it is read.", "remedy": "The next sync reads it again.", "doc_id": None}
    numbers = dict.fromkeys(("added", "changed", "renamed", "removed", "unchanged", "documents", "lost"), 0)
    run = {"ended_at": 1.0, "state": "failed", "detail": "There is no folder /docs. Nothing was changed.", "failed": 1, **numbers}
    source = {"address": "file:///docs", "collection": "default", "permission_groups": ["*"], "last_run": {**run, "failures": [failure]}}

    def with_failure(route: Route) -> None:
        route.fulfill(json={"data": [source], "has_more": False, "first_id": None, "last_id": None})

    screen = open_screen(server, locale="de")
    page: Page = screen.page
    page.route("**/sources?*", with_failure)
    page.locator("#sources > summary").click()
    expect(page.locator("#source-list .outcome")).to_have_text("Fehlgeschlagen: Den Ordner /docs gibt es nicht. Nichts wurde geändert.")
    page.locator("#source-list summary").click()
    expect(page.locator("#source-list li li span")).to_have_text(
        "Die Datei ändert sich, während sie gelesen wird. Der nächste Abgleich liest sie erneut."
    )
    page.locator("#language").select_option("ko")
    expect(page.locator("#source-list .outcome")).to_have_text("실패: 폴더 /docs이(가) 없습니다. 변경된 것은 없습니다.")
    expect(page.locator("#source-list li li span")).to_have_text("읽는 동안 파일이 변경되고 있습니다. 다음 동기화에서 다시 읽습니다.")
