"""What the server says in English, on the page in the reader's language: why a file cannot be read and what to do, what a sync left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_accessibility import Open
from tests.browser.test_documents import BROKEN, upload

PICTURE = b"8BPS\x00\x01" + bytes(64)  # of Photoshop, which is not read, whatever is installed
WHY = {
    "en": ("This PDF is damaged.", "Open it in a PDF reader, save it again and add the new file."),
    "de": (
        "Diese PDF-Datei ist beschädigt.",
        "Öffnen Sie sie in einem PDF-Programm, speichern Sie sie erneut und fügen Sie die neue Datei hinzu.",
    ),
    "ko": ("이 PDF는 손상되었습니다.", "PDF 프로그램에서 열어 다시 저장한 다음 새 파일을 추가하세요."),
}
WHAT = "Das ist ein Bild (.psd). Dieses Format wird nicht unterstützt."
FAILED = {"en": "broken.pdf failed.", "de": "broken.pdf: fehlgeschlagen.", "ko": "broken.pdf: 실패했습니다."}


def shows_why(page: Page, language: str) -> None:
    expect(page.locator("#document-list li .why span")).to_have_text(WHY[language])
    expect(upload(page, "broken.pdf").locator(".why span")).to_have_text(WHY[language])
    expect(page.locator("#documents-status")).to_have_text(f"{FAILED[language]} {WHY[language][0]}")


@pytest.mark.nightly
def test_a_failed_upload_and_sync_say_why_in_the_language_that_is_chosen(open_screen: Open, server: str) -> None:
    failure = {"name": "old.doc", "reason": "The file changes while it is read.", "remedy": "The next sync reads it again.", "doc_id": None}
    numbers = dict.fromkeys(("added", "changed", "renamed", "removed", "unchanged", "documents", "lost"), 0)
    run = {"ended_at": 1.0, "state": "failed", "detail": "There is no folder /docs. Nothing was changed.", "failed": 1, **numbers}
    source = {"address": "file:///docs", "collection": "default", "permission_groups": ["*"], "last_run": {**run, "failures": [failure]}}

    def with_failure(route: Route) -> None:
        route.fulfill(json={"data": [source], "has_more": False, "first_id": None, "last_id": None})

    screen = open_screen(server)
    page: Page = screen.page
    page.route("**/sources?*", with_failure)
    page.route("**/de.backends.js", lambda route: route.abort())
    screen.pick({"broken.pdf": BROKEN})
    shows_why(page, "en")
    assert translations(screen) == []  # none is loaded before it is needed
    page.locator("#language").select_option("de")
    expect(page.locator("#documents-status")).to_have_text(f"{FAILED['de']} {WHY['en'][0]}")
    expect(upload(page, "broken.pdf").locator(".why span")).to_have_text(WHY["en"])
    page.unroute("**/de.backends.js")
    for language in ("ko", "de"):  # German is tried again
        page.locator("#language").select_option(language)
        shows_why(page, language)
    assert set(translations(screen)) == {
        f"{language}.{name}.js" for language in ("de", "ko") for name in ("backends", "reasons", "sources")
    }

    screen.pick({"photo.psd": PICTURE})
    expect(upload(page, "photo.psd").locator(".why span").first).to_have_text(WHAT)
    with page.expect_download() as download:
        page.locator("#uploads-list").click()
    assert WHAT in Path(download.value.path()).read_text("utf-8-sig")

    page.locator("#sources > summary").click()
    expect(page.locator("#source-list .outcome")).to_have_text("Fehlgeschlagen: Den Ordner /docs gibt es nicht. Nichts wurde geändert.")
    page.locator("#source-list summary").click()
    expect(page.locator("#source-list li li span")).to_have_text(
        "Die Datei ändert sich, während sie gelesen wird. Der nächste Abgleich liest sie erneut."
    )
    page.locator("#language").select_option("ko")
    expect(page.locator("#source-list .outcome")).to_have_text("실패: 폴더 /docs이(가) 없습니다. 변경된 것은 없습니다.")
    expect(page.locator("#source-list li li span")).to_have_text("읽는 동안 파일이 변경되고 있습니다. 다음 동기화에서 다시 읽습니다.")
    screen.complained_only_of("net::ERR_FAILED")


def translations(screen: Any) -> list[str]:
    return sorted(url.split("/")[-1] for url in screen.requests if re.search(r"/(?:de|ko)\.(?:reasons|sources|backends)\.js$", url))
