"""The page while a language model on this machine comes and goes, without a restart."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from footnote.adapters.openai.local_servers import SERVERS
from tests.browser.conftest import serving
from tests.browser.test_accessibility import LEAVE, Open, grave_in
from tests.ollama_server import running_ollama

OLLAMA = SERVERS[0]
NONE = "No language model was used: these sentences are quoted from the documents. Connect a language model"
FOUND_S = 60.0


@pytest.fixture
def looking_server(tmp_path: Path) -> Iterator[str]:
    """A server that looks for models at the usual ports, on which nothing listens."""
    for kind in SERVERS:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", kind.port)) == 0:
                pytest.skip(f"A server listens on port {kind.port} of this machine.")
    with serving(tmp_path / "data", EMBEDDING__BUILTIN="false") as url:
        yield url


def wait_until_found(page: Page, server: str, model: str | None) -> None:
    """Until the server has seen it: it looks at most once a second, and a question waits only some milliseconds for a look."""
    deadline = time.monotonic() + FOUND_S
    while page.request.get(f"{server}/model").json()["model"] != model:
        assert time.monotonic() < deadline, f"It still does not find {model}."
        page.wait_for_timeout(100)


@pytest.mark.nightly
def test_an_ollama_that_starts_answers_the_next_question_and_the_header_names_it(open_handbook: Open, looking_server: str) -> None:
    screen = open_handbook(looking_server)
    page = screen.page
    header, line = page.locator("#model"), page.locator("#model-text")
    expect(header).to_have_text("No language model")
    screen.answer_to(LEAVE)
    expect(page.locator(".notice").last).to_contain_text(NONE)
    with running_ollama("llama3.2", port=OLLAMA.port):
        wait_until_found(page, looking_server, "llama3.2")
        screen.answer_to(LEAVE)
        expect(page.locator(".answer").last).to_contain_text("In 1894 the bridge was built")
        expect(header).to_have_text("llama3.2")
        header.click()
        expect(line).to_have_text("Ollama at localhost:11434, model llama3.2")
        assert grave_in(page) == []
        page.keyboard.press("Escape")
    wait_until_found(page, looking_server, None)
    screen.answer_to(LEAVE)
    expect(page.locator(".notice").last).to_contain_text(NONE)
    expect(header).to_have_text("No language model")
    page.locator("#language").select_option("de")
    header.click()
    expect(line).to_contain_text("Kein Sprachmodell: kein Ollama auf Port 11434")
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 360, "height": 640})  # where the header has no room for it
    expect(header).to_be_hidden()
    page.locator("#account").click()
    expect(page.locator("#account-menu")).to_contain_text("Kein Sprachmodell: kein Ollama auf Port 11434")
