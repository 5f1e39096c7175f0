"""Citation links followed from another site, and what another site may not do with the reader's session."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.office import Office, add_file, sign_in
from tests.browser.test_accessibility import LEAVE

SENTENCE = "Employees receive 24 working days of annual leave."

SEND = """([url, body]) => Promise.allSettled([
    fetch(`${url}/ask`, { method: 'POST', mode: 'no-cors', credentials: 'include', body }),
    fetch(`${url}/sessions`, { method: 'DELETE', mode: 'cors', credentials: 'include' }),
])"""


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
    with office.client() as ann:
        doc_id = add_file(ann, name, content, "links", ("user:ann",))
        asked = {
            "model": "footnote/links",
            "messages": [{"role": "user", "content": LEAVE}],
        }
        cited = ann.post("/v1/chat/completions", json=asked).raise_for_status().json()["citations"]
    return str(next(each["url"] for each in cited if each["doc_id"] == doc_id))


def follow(page: Page, link: str) -> None:
    with other_site(f'<a href="{link.replace("&", "&amp;")}">[1]</a>') as chat:
        page.goto(chat)
        page.get_by_role("link").click()
        expect(page).to_have_url(re.compile(r"\?doc_id="))


def test_a_link_asks_whoever_is_not_signed_in_to_and_then_shows_the_passage(
    office: Office, handbook: bytes, new_context: Callable[..., BrowserContext]
) -> None:
    link = cite(office, "leave.md", f"# Leave\n\n{SENTENCE}\n".encode())
    page = new_context().new_page()
    follow(page, link)
    expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
    assert page.locator("mark").count() == 0
    sign_in(page, office.token())
    expect(page.locator("#source-view mark", has_text="24 working days")).to_be_visible()
    cookies = page.context.cookies()
    assert [(cookie["name"], cookie["sameSite"], cookie["httpOnly"]) for cookie in cookies] == [("footnote_session", "Strict", True)]

    follow(page, re.sub(r"chunk_id=[^&#]*", "chunk_id=gone%23999", link))  # signed in; the document has changed since
    expect(page.locator("#source-note")).to_contain_text("has changed since it was cited")
    expect(page.locator("#source-view")).to_contain_text("24 working days")

    link = cite(office, "handbook.pdf", handbook)
    assert link.endswith("#page=2")
    follow(page, link)
    expect(page.locator("#source-page")).to_have_value("2")
    expect(page.get_by_role("dialog", name="Sign in")).to_be_hidden()

    stranger = new_context().new_page()
    follow(stranger, link)
    sign_in(stranger, office.token("bob"))
    expect(stranger.locator("#source-note")).to_contain_text("you do not have access to it")
    assert "28 days" not in stranger.content()


def test_another_site_can_do_nothing_with_the_readers_session(office: Office, new_context: Callable[..., BrowserContext]) -> None:
    """A form, a script's request and a question in a link, all in the browser of a signed-in user."""
    page = new_context().new_page()
    page.goto(office.url)
    sign_in(page, office.token("carl"))
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
    with office.client("carl") as carl:
        assert carl.get("/conversations").raise_for_status().json()["data"] == []
    page.goto(office.url)
    expect(page.locator("html[data-ready]")).to_be_attached()  # the session has not ended
