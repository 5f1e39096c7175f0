"""Fixtures: a real Chromium, a real server, and a scripted language model.

Each test uses its own index, so that one server can serve all tests, and browser contexts that earlier tests have left, whose
cache holds the page's files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, FilePayload, Frame, Page, Request, expect

from tests.browser.office import Office
from tests.mcp_tools import TOKEN, tools_server

HERE = Path(__file__).parent
START_S = 300
POLL_MS = 30
WAIT_MS = 25_000
CONFIGURED_ELSEWHERE = (
    "LLM_", "OPENAI_", "MODEL_", "PRIMARY_MODEL", "EMBEDDING_", "RAG_", "MCP_", "INGEST_", "INDEX_", "RETRIEVER", "FOOTNOTE_",
)  # fmt: skip
expect.set_options(timeout=WAIT_MS)


@pytest.fixture(scope="session")
def base_url() -> None:
    """Each test names its server. pytest-playwright's own fixture of this name warns under pytest 9."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    # The headless shell draws no windows, which takes half of the processor time.
    chromium = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
    if chromium is None:
        reason = "There is no Chromium on this machine. On Debian: apt-get install chromium-headless-shell"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"]
    return {**browser_type_launch_args, "executable_path": chromium, "args": flags}


# --- browser contexts -----------------------------------------------------------------------------

HAS_SET_CLOCK = "!Function.prototype.toString.call(Date).includes('[native code]')"


class Contexts:
    """Browser contexts by their options. What a test leaves in one is cleared, except for the cache."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[BrowserContext]] = {}
        self._origins: dict[BrowserContext, set[str]] = {}

    def take(self, options: dict[str, Any]) -> BrowserContext:
        free = self._free.setdefault(json.dumps(options, sort_keys=True), [])
        if free:
            return free.pop()
        context = self._browser.new_context(**options)
        origins = self._origins[context] = set()

        def note_origin(frame: Frame) -> None:
            if frame.url.startswith("http"):
                origins.add("{0.scheme}://{0.netloc}".format(urlsplit(frame.url)))

        context.on("page", lambda page: page.on("framenavigated", note_origin))
        return context

    def give_back(self, options: dict[str, Any], context: BrowserContext) -> None:
        if "permissions" in options or any(page.evaluate(HAS_SET_CLOCK) for page in context.pages):
            context.close()  # cleared permissions do not come back, and its clock stays set
            return
        for page in context.pages:
            page.close()
        context.clear_cookies()
        context.clear_permissions()
        blank = context.new_page()
        devtools = context.new_cdp_session(blank)
        for origin in self._origins[context]:
            devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"})
        blank.close()
        self._free[json.dumps(options, sort_keys=True)].append(context)


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> Contexts:
    return Contexts(browser)


@pytest.fixture
def new_context(contexts: Contexts, browser_context_args: dict[str, Any]) -> Iterator[Callable[..., BrowserContext]]:
    """A context with no cookies, no storage and no motion; no other part of the test has it."""
    taken: list[tuple[dict[str, Any], BrowserContext]] = []

    def take(**options: Any) -> BrowserContext:
        options = {**browser_context_args, "viewport": {"width": 1280, "height": 860}, "reduced_motion": "reduce", **options}
        taken.append((options, contexts.take(options)))
        return taken[-1][1]

    yield take
    for options, context in taken:
        contexts.give_back(options, context)


# --- servers -----------------------------------------------------------------------------------


@contextmanager
def serving(data: Path, **environment: str) -> Iterator[str]:
    """`footnote serve` on a free port → its URL, once it is ready."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(CONFIGURED_ELSEWHERE)}
    command = [sys.executable, "-m", "footnote_local", "serve", "--workers", "1", "--port", "0", "--data", str(data)]
    with subprocess.Popen(
        command, env={**inherited, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as server:
        said: list[str] = []
        listener = threading.Thread(target=lambda: said.extend(iter(server.stderr.readline, "")), daemon=True)  # type: ignore[union-attr]
        listener.start()
        try:
            yield _ready_url(server, said)
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
            listener.join(5)


def _ready_url(server: subprocess.Popen[str], said: list[str]) -> str:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", "".join(said))
        try:
            if found and urllib.request.urlopen(f"{found[0]}/ready", timeout=30).status == 200:
                return found[0]
        except URLError:
            pass
        time.sleep(0.05)
    pytest.fail("The server did not become ready. It said:\n" + "".join(said))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Without a language model: answers are quoted sentences."""
    with serving(tmp_path_factory.mktemp("data"), LLM__DISCOVER="false") as url:
        yield url


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """It requires sign-in, and has no model."""
    data = tmp_path_factory.mktemp("data")
    with serving(data, LLM__DISCOVER="false", EMBEDDING__BUILTIN="false", AUTH__MODE="session") as url:
        yield Office(url, data)


class ScriptedModel(BaseHTTPRequestHandler):
    """Speaks OpenAI's wire format, and chooses the answer by the question."""

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}).encode())

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "messages" not in asked:  # it has no embeddings
            return self.send_error(404)
        messages = asked["messages"]
        prompt = messages[-1]["content"]
        question = next(part for part in reversed(prompt.split("\n\n")) if not part.startswith("("))  # says what was searched for
        cited = re.search(r'<document id="([^"]+)"', prompt)
        marker = f" [^{cited[1]}]" if cited else ""
        calls: list[dict[str, Any]] = []
        if "out of order" in question:
            return self.send_error(404)
        if '{"queries"' in prompt:
            pieces = [json.dumps({"queries": [STANDALONE]})]
        elif messages[-1]["role"] == "tool":
            pieces = ["Employees receive 28 days of annual leave [1], and 2 + 3 is 5."]
        elif asked.get("tools"):
            pieces, calls = [], [_call(0, "search_documents", query=question), _call(1, "mcp_add", a=2, b=3)]
        elif "slowly" in question:
            pieces = ["One moment", marker, *(f" and {n}" for n in range(400))]
        elif "at length" in question:
            pieces = ["One moment", marker, *(f" and {n}" for n in range(200))]
        elif "hostile" in question:
            pieces = [HOSTILE, f"\n\nSafe words{marker}."]
        elif deep := re.search(r"deep answer (\d)", question):
            pieces = [f"{DEEP[int(deep[1])]}\n\nSafe words{marker}."]  # in one piece, because a loop is ended while it arrives
        elif "formula" in question:
            pieces = [FORMULAS.replace("[^1]", marker)]
        elif "moon" in question:
            pieces = [f"Employees receive 28 days of annual leave per year{marker}. They receive a trip to the moon in 2031{marker}."]
        elif "each pier" in question:
            ferries = re.findall(r'<document id="([^"]+)".*?(The ferry [^.]+)\.', prompt, re.DOTALL)
            pieces = [f"{sentence} [^{passage}]. " for passage, sentence in ferries]
        elif "exactly" in question:
            pieces = [f"Employees receive 28 days of annual leave per year{marker}."]
        elif "nothing" in question:
            pieces = ["The documents do not contain this information."]
        else:
            pieces = ["Yes 🎉, **28 days**", *marker, ".\n\n- one\n- two", *marker]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        try:
            for piece in pieces:
                self._event({"content": piece}, None)
                if "slowly" in question or "at length" in question:
                    time.sleep(0.05 if "slowly" in question else 0.005)
            self._event({"tool_calls": calls} if calls else {}, "tool_calls" if calls else "stop")
            self.wfile.write(b"data: [DONE]\n\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has disconnected

    def _event(self, delta: dict[str, Any], finish: str | None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        event = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "scripted", "choices": [choice]}
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

    def _send(self, content_type: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _call(index: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"index": index, "id": f"c{index}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


STANDALONE = "What does a day of annual leave cost the employees?"
"""The rewritten form of every follow-up question: it keeps the question and names what the conversation is about."""
FORMULAS = r"""Leave costs \(c = \frac{d}{260}\)[^1], with $d_1^2$ and $x$, not $5 and $10, nor `$a_1$`.

$$
\sum_{i=1}^{n} i
= \frac{n(n+1)}{2}
$$

Not TeX: $$\nothing{$$

```python
days = {"annual": 28}
print(days["annual"])
```

| Days | Cost |
| --- | --- |
| 28 | $1_000$ |
"""
DEEP = ("- " * 2000 + "a", "> " * 2000 + "a", "1. > * + " * 500, "[" * 2000 + "a" + "](b)" * 500, "*a **b " * 600, "$$" * 2000)
HOSTILE = (
    '<img src=x onerror="alert(1)"> <script>alert(2)</script> ![spy](https://example.com/spy.png) '
    "[click](javascript:alert(3)) [data](data:text/html,<script>alert(4)</script>) [away](https://example.com/page)\n\n"
    '<iframe src="https://example.com"></iframe>\n\n<svg onload="alert(5)"><style>*{display:none}</style></svg>'
)


@contextmanager
def scripted_model() -> Iterator[str]:
    """Its base URL."""
    model = ThreadingHTTPServer(("127.0.0.1", 0), ScriptedModel)
    thread = threading.Thread(target=model.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{model.server_port}/v1"
    finally:
        model.shutdown()
        model.server_close()
        thread.join()


@pytest.fixture(scope="session")
def server_with_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with scripted_model() as model, tools_server() as gateway:
        tools = {"MCP__MCP_ENABLED": "true", "MCP__GATEWAY": gateway, "MCP__TOKEN": TOKEN}
        environment = {"LLM__BASE_URL": model, "LLM__MODEL": "scripted", "EMBEDDING__BUILTIN": "false", **tools}
        with serving(tmp_path_factory.mktemp("data"), **environment) as url:
            yield url


# --- actions on the page --------------------------------------------------------------


class Screen:
    """The page with the actions of a user; records its requests and complaints."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.index = f"test-{uuid4().hex[:8]}"
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.set_default_timeout(WAIT_MS)
        page.on("request", self._note_request)
        page.on("console", self._note_message)
        page.on("dialog", self._note_dialog)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note_request(self, request: Request) -> None:
        self.requests.append(request.url)

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _note_dialog(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self) -> None:
        """Opens the page, set to add documents to this screen's own index."""
        self.page.goto(f"{self.url}/")
        expect(self.page.locator("html[data-ready]")).to_be_attached()
        self.page.locator("#into").evaluate("(field, name) => (field.value = name)", self.index)

    def pick(self, files: dict[str, bytes]) -> None:
        """Chooses files in the picker."""
        chosen = [FilePayload(name=name, mimeType="application/octet-stream", buffer=content) for name, content in files.items()]
        self.page.locator("#files").set_input_files(chosen)

    def add(self, name: str, content: bytes) -> None:
        """Adds a file through the picker and waits until it is READY and all its vectors are there."""
        self.pick({name: content})
        expect(self.page.locator("#index")).to_have_value(self.index)
        self._shows_it_ready()

    def open_with(self, name: str, content: bytes) -> None:
        """Opens the page at this screen's own index, to which the file was added before."""
        file = FilePayload(name=name, mimeType="application/octet-stream", buffer=content)
        added = self.page.request.post(f"{self.url}/ingest/file", multipart={"file": file, "index_name": self.index})
        assert added.ok, added.text()
        self._wait_for_vectors()
        self.page.goto(f"{self.url}/web/icon.svg")
        self.page.evaluate("name => localStorage.setItem('footnote.index', name)", self.index)
        self.open()
        self._shows_it_ready()

    def _shows_it_ready(self) -> None:
        expect(self.page.locator("#document-list li")).to_have_attribute("data-state", "READY")
        self._wait_for_vectors()
        expect(self.page.locator("#document-list")).to_have_attribute("data-vectors", "all")

    def _wait_for_vectors(self) -> None:
        """Until every document is READY with all its vectors, whose number only admins see. The page may not have polled yet."""
        while not self._has_vectors():
            self.page.wait_for_timeout(POLL_MS)

    def _has_vectors(self) -> bool:
        listed = self.page.request.get(f"{self.url}/documents?collection={self.index}").json().get("data", [])
        known = [self.page.request.get(f"{self.url}/documents/{document['doc_id']}").json() for document in listed]
        vectors = [document["vectors"] for document in known if document.get("vectors")]
        return all(document["state"] == "READY" for document in known) and all(each["done"] >= each["total"] for each in vectors)

    def open_advanced(self) -> None:
        """Shows the options that only some questions need."""
        if self.page.locator("#advanced").get_attribute("aria-expanded") == "false":
            self.page.locator("#advanced").click()

    def recall_mode(self, mode: str) -> None:
        """Reopens the page with a mode that was chosen at an earlier visit."""
        self.page.evaluate("mode => localStorage.setItem('footnote.mode', mode)", mode)
        self.page.reload()
        expect(self.page.locator("html[data-ready]")).to_be_attached()

    def ask(self, question: str) -> None:
        box = self.page.locator("#question")
        box.fill(question)
        box.press("Enter")

    def finished(self) -> None:
        expect(self.page.locator("#thread")).to_have_attribute("aria-busy", "false")

    def answer_to(self, question: str) -> None:
        """Asks the question and waits until it is answered."""
        self.ask(question)
        self.finished()

    def picture(self, path: Path) -> None:
        self.page.screenshot(path=path)
        assert path.stat().st_size > 10_000

    def complained_only_of(self, *texts: str) -> None:
        """Asserts that each complaint until now holds one of the texts, and forgets them."""
        assert [complaint for complaint in self.complaints if not any(text in complaint for text in texts)] == []
        self.complaints.clear()

    def assert_quiet(self) -> None:
        """Asserts no script error, no violation of the content security policy, no dialog, and no request to another host."""
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith((f"{self.url}/", "data:"))] == []


@pytest.fixture
def open_screen(new_context: Callable[..., BrowserContext]) -> Iterator[Callable[..., Screen]]:
    """Opens the page in its own browser context, e.g. `open_screen(server, locale="ko-KR")`; at the end it must have been quiet."""
    screens: list[Screen] = []

    def open_one(url: str, **context: Any) -> Screen:
        screens.append(Screen(new_context(**context).new_page(), url))
        screens[-1].open()
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.assert_quiet()


@pytest.fixture
def screen(open_screen: Callable[..., Screen], server: str) -> Screen:
    """The page without documents; some files have another one."""
    return open_screen(server)


@pytest.fixture
def page(screen: Screen) -> Page:
    return screen.page


@pytest.fixture
def open_handbook(new_context: Callable[..., BrowserContext], handbook: bytes) -> Iterator[Callable[..., Screen]]:
    """Opens the page where the handbook is READY; at the end the page must have been quiet."""
    screens: list[Screen] = []

    def open_one(url: str, **context: Any) -> Screen:
        screens.append(Screen(new_context(**context).new_page(), url))
        screens[-1].open_with("handbook.pdf", handbook)
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.assert_quiet()


@pytest.fixture(scope="session")
def handbook() -> bytes:
    """A PDF of three pages; the text about leave is on the second."""
    return make_pdf(*(HERE / "handbook.en.md").read_text("utf-8").strip().removeprefix("# ").split("\n\n# "))


def make_pdf(*pages: str) -> bytes:
    """One page per text, in Helvetica; its first line is a heading."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        lines = [f"/F1 {8 if place else 20} Tf ({line.strip()}) Tj T*" for place, line in enumerate(text.split("\n"))]
        stream = f"BT 72 760 Td 18 TL {' '.join(lines)} ET".encode("ascii")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R" % len(objects)
        objects.append(page + b" /Resources << /Font << /F1 3 0 R >> >> >>")
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    pdf, places = b"%PDF-1.4\n", b"0000000000 65535 f \n"
    for number, body in enumerate(objects, start=1):
        places += b"%010d 00000 n \n" % len(pdf)
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(pdf))
    return pdf + b"xref\n0 %d\n%s" % (len(objects) + 1, places) + trailer
