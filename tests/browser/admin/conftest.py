"""Fixtures: servers with something to administer, and the administration page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.admin.view import WIDE, Open, post, settled
from tests.browser.conftest import WAIT_MS, serving

FERRY = "# Ferry\n\nA ferry costs 4 euros. It crosses the river every hour.\n"


@pytest.fixture(scope="session")
def admin_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with three documents: one failed, one is of a synced folder. A question was asked."""
    folder = tmp_path_factory.mktemp("admin")
    (folder / "handbooks").mkdir()
    (folder / "handbooks" / "tower.md").write_text("# Tower\n\nThe tower was built in 1894 by Ann Smith.\n")
    quiet = {"LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
    sync = ["sync", str(folder / "handbooks"), "--collection", "sights", "--yes", "--data", str(folder / "data")]
    subprocess.run([sys.executable, "-m", "footnote_local", *sync], check=True, capture_output=True, env={**os.environ, **quiet})
    with serving(folder / "data", **quiet) as server:
        add_file(server, "default", "ferry.md", FERRY.encode())
        add_file(server, "default", "broken.pdf", b"%PDF-1.7 nothing")
        post(server, "/ask", query_text="How much does a ferry cost?", index_name="default", permission_groups=[])
        yield server


@pytest.fixture
def open_admin(new_context: Callable[..., BrowserContext], admin_server: str) -> Iterator[Open]:
    """Opens `/admin#/<view>`; at the end there was no error in its console and no request to another host."""
    complaints: list[str] = []

    def open_one(view: str = "overview", before: Callable[[Page], None] = lambda _: None, server: str = admin_server, **look: Any) -> Page:
        page = new_context(**{**WIDE, **look}).new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if "Content Security" in message.text else None)
        page.on("request", lambda sent: None if sent.url.startswith((server, "data:", "blob:")) else complaints.append(sent.url))
        before(page)
        page.goto(f"{server}/admin#/{view}")
        settled(page)
        return page

    yield open_one
    assert complaints == []


@pytest.fixture(scope="module")
def files_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with documents in two collections; one of them failed. Each test leaves it so."""
    with serving(tmp_path_factory.mktemp("data"), LLM__DISCOVER="false", EMBEDDING__BUILTIN="false") as server:
        for name, index in (("ferry", "ships"), ("boat", "ships"), ("tower", "sights")):
            data = {"doc_id": name.upper(), "title": name.title(), "content": f"A {name} costs 4 euros.", "permission_groups": ["*"]}
            post(server, "/insert-doc", index_name=index, data=data)
        add_file(server, "ships", "broken.pdf", b"%PDF-1.7 nothing")
        yield server


def add_file(server: str, index: str, name: str, content: bytes) -> None:
    edge = "footnote-boundary"
    head = f'--{edge}\r\ncontent-disposition: form-data; name="index_name"\r\n\r\n{index}\r\n'
    head += f'--{edge}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
    request = urllib.request.Request(f"{server}/ingest/file", body, {"content-type": f"multipart/form-data; boundary={edge}"})
    document = json.load(urllib.request.urlopen(request, timeout=30))
    while document["state"] not in ("READY", "FAILED"):
        time.sleep(0.1)
        document = json.load(urllib.request.urlopen(f"{server}/documents/{document['doc_id']}", timeout=30))
