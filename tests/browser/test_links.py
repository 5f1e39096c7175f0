"""Citation links followed from another site, and what another site may not do with the reader's session."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import serving
from tests.browser.test_sign_in import Office, sign_in

SENTENCE = "Employees receive 24 working days of annual leave."
SIGN_IN = {"en": "Sign in", "de": "Anmelden", "ko": "로그인"}
GONE = {"en": "you do not have access to it", "de": "Sie haben keinen Zugriff darauf", "ko": "읽을 권한이 없습니다"}

SEND = """([url, body]) => Promise.allSettled([
    fetch(`${url}/ask`, { method: 'POST', mode: 'no-cors', credentials: 'include', body }),
    fetch(`${url}/sessions`, { method: 'DELETE', mode: 'cors', credentials: 'include' }),
])"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    data = tmp_path_factory.mktemp("data")
    with serving(data, LLM__DISCOVER="false", EMBEDDING__BUILTIN="false", AUTH__MODE="session") as url:
        yield Office(url, data)


@contextmanager
def other_site(html: str) -> Iterator[str]:
    """A page with another host name than the server's, which a browser treats as another site."""

    class Site(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Silent."""

        def do_GET(self) -> None:
            body = html.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


def cite(office: Office, name: str, content: bytes) -> str:
    """Adds ann's file, asks about it as a chat client does, and returns the link of the citation."""
    ann = {"authorization": f"Bearer {office.token()}"}
    with httpx.Client(base_url=office.url, headers=ann, timeout=30) as client:
        added = client.post("/ingest/file", files={"file": (name, content)}, data={"index_name": "default"}).json()
        while client.get(f"/documents/{added['doc_id']}").json()["state"] != "READY":
            pass
        asked = {"model": "footnote", "messages": [{"role": "user", "content": "How many days of annual leave do employees receive?"}]}
        cited = client.post("/v1/chat/completions", json=asked).json()["citations"]
    return str(next(each["url"] for each in cited if each["doc_id"] == added["doc_id"]))


def follow(page: Page, link: str) -> None:
    with other_site(f'<a href="{link.replace("&", "&amp;")}">[1]</a>') as chat:
        page.goto(chat)
        page.get_by_role("link").click()
        expect(page).to_have_url(re.compile(r"\?doc_id="))


def is_open(page: Page, words: str) -> None:
    expect(page.locator("#source-view mark", has_text=words)).to_be_visible()


@pytest.mark.parametrize("lang", SIGN_IN)
def test_a_reader_who_is_not_signed_in_is_asked_to_and_then_sees_the_passage(
    lang: str, office: Office, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(locale=lang).new_page()
    follow(page, cite(office, "leave.md", f"# Leave\n\n{SENTENCE}\n".encode()))
    expect(page.get_by_role("dialog", name=SIGN_IN[lang])).to_be_visible()
    assert page.locator("mark").count() == 0
    sign_in(page, office.token())
    is_open(page, "24 working days")


def test_a_reader_who_is_signed_in_sees_it_at_once_and_a_pdf_at_its_page(
    office: Office, handbook: bytes, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": 1280, "height": 860}).new_page()
    page.goto(office.url)
    sign_in(page, office.token())
    expect(page.locator("html[data-ready]")).to_be_attached()
    link = cite(office, "handbook.pdf", handbook)
    assert link.endswith("#page=2")
    follow(page, link)
    expect(page.locator("#source-page")).to_have_value("2")
    expect(page.get_by_role("dialog", name="Sign in")).to_be_hidden()
    cookies = page.context.cookies()
    assert [(cookie["name"], cookie["sameSite"], cookie["httpOnly"]) for cookie in cookies] == [("footnote_session", "Strict", True)]


@pytest.mark.parametrize("lang", GONE)
def test_a_reader_without_permission_sees_an_explanation(lang: str, office: Office, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(locale=lang).new_page()
    follow(page, cite(office, "leave.md", f"# Leave\n\n{SENTENCE}\n".encode()))
    sign_in(page, office.token("bob"))
    expect(page.locator("#source-note")).to_contain_text(GONE[lang])
    assert "24 working days" not in page.content()


def test_another_site_can_do_nothing_with_the_readers_session(office: Office, new_context: Callable[..., BrowserContext]) -> None:
    """A form, a script's request and a question in a link, all in the browser of a signed-in user."""
    page = new_context().new_page()
    page.goto(office.url)
    sign_in(page, token := office.token("carl"))
    expect(page.locator("html[data-ready]")).to_be_attached()
    ask = '{"query_text": "Mine?", "index_name": "default", "permission_groups": []}'
    form = f"""<form method="post" enctype="text/plain" action="{office.url}/ask"><input name='{ask[:-1]}, "x": "' value='"}}'></form>"""
    with other_site(form) as site:
        page.goto(site)
        page.evaluate(SEND, [office.url, ask])
        with page.expect_navigation(url=f"{office.url}/ask") as posted:
            page.evaluate("document.forms[0].submit()")
        assert posted.value.status in (401, 403)
        page.goto(site)
        question = f"{office.url}/ask/stream?query_text=Mine%3F&index_name=default"
        with page.expect_navigation(url=question) as visited:
            page.evaluate("url => location.assign(url)", question)
        assert visited.value.status in (401, 403)
    kept = httpx.get(f"{office.url}/conversations", headers={"authorization": f"Bearer {token}"})
    assert (kept.status_code, kept.json()["data"]) == (200, [])


def test_a_link_to_a_document_that_changed_shows_it_as_it_is(tmp_path: Path, new_context: Callable[..., BrowserContext]) -> None:
    with serving(tmp_path / "data", LLM__DISCOVER="false", EMBEDDING__BUILTIN="false") as url, httpx.Client(base_url=url) as client:
        form = {"files": {"file": ("leave.md", f"# Leave\n\n{SENTENCE}\n".encode())}, "data": {"index_name": "default"}}
        doc_id = client.post("/ingest/file", **form).json()["doc_id"]  # type: ignore[arg-type]
        while client.get(f"/documents/{doc_id}").json()["state"] != "READY":
            pass
        page = new_context(locale="en").new_page()
        follow(page, f"{url}/documents/{doc_id}/content?chunk_id={doc_id}%23999")
        expect(page.locator("#source-note")).to_contain_text("has changed since it was cited")
        expect(page.locator("#source-view")).to_contain_text("24 working days")
