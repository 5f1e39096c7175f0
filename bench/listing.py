"""Measures whether long lists stall the page: 10,000 documents and 1,000 conversations, in Chromium.

    python -m bench.listing [--documents 10000] [--conversations 1000]

The documents are rows of the ledger alone, as the lists read nothing else; the conversations are asked over HTTP. For each thing that
people do with the lists, this prints the time until it is done and the longest task of the page meanwhile; browsers tell of tasks over
50 ms only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from playwright.sync_api import Page, expect, sync_playwright

from bench.figures import NotMeasured, log_progress
from bench.server import serving
from footnote.adapters.sqlite.ledger_store import SqliteLedgerStore
from footnote.adapters.sqlite.store import open_store
from footnote.guard.identity import LOCAL
from footnote.ledger import Lifecycle
from footnote.ports import NewFile

WORDS = ("Annual", "Budget", "Contract", "Draft", "Évaluation", "Fahrplan", "Guide", "Handbuch", "Index", "Journal", "안내서", "보고서")
KINDS = ("pdf", "docx", "xlsx", "markdown", "html")
WATCH = (
    "new PerformanceObserver(all => (window.tasks ??= []).push(...all.getEntries().map(one => one.duration))).observe({type: 'longtask'})"
)
LONGEST = "() => { const found = Math.max(0, ...(window.tasks ?? [])); window.tasks = []; return found }"
SETTLE_MS = 300


async def add_documents(folder: Path, count: int) -> None:
    """Fills the ledger with READY documents of different names, formats, sizes and readers."""
    database = open_store(folder, durable=False)
    chance, clock = random.Random(1), iter(range(1_700_000_000, 1_700_000_000 + 3 * count))
    lifecycle = Lifecycle(SqliteLedgerStore(database), lambda: float(next(clock)))
    for number in range(count):
        name = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {number}.{chance.choice(KINDS)}"
        readers = frozenset({chance.choice(("*", "hr", "staff", "board"))})
        file = NewFile(
            file_name=name, collection="default", permission_groups=readers, content_hash=str(number), size=chance.randrange(1, 10**7)
        )
        document, _ = await lifecycle.accept(LOCAL, file)
        pages, kind = chance.randrange(1, 90), name.rpartition(".")[2]
        await lifecycle.update(document.doc_id, 1, state="READY", active_generation=1, chunks=3 * pages, pages=pages, format=kind)
    database.close()


def ask(url: str, number: int) -> None:
    """One conversation, of one question."""
    body = {
        "query_text": f"What does document {number} say?",
        "index_name": "default",
        "permission_groups": [],
        "room_id": f"room-{number}",
    }
    with urlopen(Request(f"{url}/ask", json.dumps(body).encode(), {"content-type": "application/json"}), timeout=60) as response:
        response.read()


def find_chromium() -> str:
    """The path of the browser; NotMeasured without one."""
    found = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
    if found is None:
        raise NotMeasured("There is no Chromium on this machine. On Debian: apt-get install chromium-headless-shell")
    return found


def measure(page: Page, what: str, act: Callable[[], object]) -> None:
    """Does it and prints how long it took, and the longest task."""
    page.evaluate(LONGEST)
    started = time.perf_counter()
    act()
    took = time.perf_counter() - started
    page.wait_for_timeout(SETTLE_MS)
    longest = page.evaluate(LONGEST)
    print(f"{what:60} {took * 1000:6.0f} ms   longest task {f'{longest:.0f} ms' if longest else 'not over 50 ms'}", flush=True)


def visit_page(page: Page, url: str, conversations: int) -> None:
    """The lists of the page for everyone."""
    rows = page.locator("#conversation-list li")

    def show_all() -> None:
        more = page.locator("#more-conversations")
        while more.is_visible():
            more.click()
        expect(rows).to_have_count(conversations)

    def search() -> None:
        page.locator("#conversation-search").fill("document 77")
        expect(rows).not_to_have_count(min(30, conversations))
        page.locator("#conversation-search").fill("")

    def open_page() -> None:
        page.goto(url)
        expect(page.locator("#document-list li").first).to_be_visible()
        expect(rows.first).to_be_visible()

    measure(page, "page opened, both lists shown", open_page)
    measure(page, f"all {conversations} conversations shown, 30 at a time", show_all)
    measure(page, "conversations searched, and 30 shown again", search)
    measure(page, "a conversation opened", lambda: rows.nth(20).locator("a").click())
    measure(page, "50 more documents shown", lambda: page.locator("#more-documents").click())


def visit_admin(page: Page, url: str, documents: int) -> None:
    """The list of documents in the administration."""
    heads = page.locator("thead .sorts")
    measure(page, f"/admin: {documents} documents loaded", lambda: open_documents(page, url, documents))
    for number in range(heads.count()):
        measure(page, f"/admin: sorted by {heads.nth(number).inner_text().lower()}", heads.nth(number).click)
    search = page.locator(".filters input[type=search]")
    for text in ("b", "bu", ""):
        measure(page, f"/admin: searched for “{text}”", partial(search.fill, text))


def open_documents(page: Page, url: str, documents: int) -> None:
    page.goto(f"{url}/admin#/documents")
    expect(page.locator("main p[role=status].hint")).to_contain_text(f"{documents:,}", timeout=60_000)


def main() -> None:
    """Makes the data, starts a server and prints the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.listing", description="Measures whether long lists stall the page.")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--conversations", type=int, default=1_000)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        data = Path(folder)
        asyncio.run(add_documents(data, given.documents))
        log_progress(f"{given.documents} documents")
        unlimited: dict[str, Any] = {"LIMITS__USER_PER_MINUTE": "0", "LIMITS__ADDRESS_PER_MINUTE": "0"}
        with serving(data, **unlimited) as server, sync_playwright() as playwright:
            server.wait()
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda number: ask(server.url, number), range(given.conversations)))
            log_progress(f"{given.conversations} conversations")
            with playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"]) as browser:
                page = browser.new_page(locale="en-GB")
                page.add_init_script(WATCH)
                visit_page(page, server.url, given.conversations)
                visit_admin(page, server.url, given.documents)
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
