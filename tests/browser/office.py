"""A server that requires sign-in, and what its users do there."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from playwright.sync_api import Page, expect

from footnote.bootstrap import Core
from footnote.guard.identity import Session, open_session
from footnote.settings import Settings


class Office:
    """The server and its sessions."""

    def __init__(self, url: str, data: Path) -> None:
        self.url = url
        self.data = data

    def token(self, user_id: str = "ann", *groups: str) -> str:
        async def make() -> str:
            core = Core(Settings(footnote_data=self.data))
            try:
                return await open_session(Session(user_id, groups), 3600, cache=core.cache, records=core.records, now=core.clock())
            finally:
                await core.close()

        with ThreadPoolExecutor(1) as thread:  # Playwright has a loop in this one
            return thread.submit(asyncio.run, make()).result()

    def client(self, user_id: str = "ann", *groups: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"authorization": f"Bearer {self.token(user_id, *groups)}"}, timeout=30)

    def end(self, token: str) -> None:
        assert httpx.delete(f"{self.url}/sessions", headers={"authorization": f"Bearer {token}"}).status_code == 204


def add_file(client: httpx.Client, name: str, content: bytes, collection: str, groups: tuple[str, ...] = ("*",)) -> str:
    """→ the document's id, once it is READY."""
    data = {"index_name": collection, "permission_groups": list(groups)}
    doc_id: str = client.post("/ingest/file", files={"file": (name, content)}, data=data).raise_for_status().json()["doc_id"]
    while client.get(f"/documents/{doc_id}").json()["state"] != "READY":
        pass
    return doc_id


WITH_TOKEN = re.compile("Sign in with a token|Mit einem Token anmelden|토큰으로 로그인")


def sign_in(page: Page, token: str) -> None:
    with_token = page.get_by_role("button", name=WITH_TOKEN)
    expect(page.locator("#sign-in")).to_be_visible()
    if with_token.is_visible():
        with_token.click()
    page.locator("#token").fill(token)
    page.locator("#token").press("Enter")
