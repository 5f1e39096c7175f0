"""Receipts, follow-up suggestions, asking again, and resuming after a lost connection."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import HERE, Screen
from tests.browser.test_accessibility import LEAVE, Open, grave_in

OBSERVE_STATUS = """() => {
  window.said = []
  const status = document.getElementById('status')
  const note = changes => said.push(...changes.flatMap(change => [...change.addedNodes]).map(node => node.textContent))
  new MutationObserver(note).observe(status, { childList: true })
}"""


@pytest.fixture
def screen(open_handbook: Open, server_with_model: str) -> Screen:
    return open_handbook(server_with_model)


# --- the receipt -----------------------------------------------------------------------------------


def test_the_receipt_shows_time_tokens_and_every_passage(screen: Screen, page: Page) -> None:
    screen.open_advanced()
    page.locator("#results").fill("2")
    screen.answer_to(LEAVE)
    receipt = page.locator(".receipt")
    expect(receipt.locator("table")).to_have_count(0)
    receipt.locator("summary").first.click()
    facts = receipt.locator("dl")
    expect(facts).to_contain_text("scripted")
    expect(facts).to_contain_text(re.compile(r"\d+ in, \d+ out"))
    expect(facts.locator("q")).to_have_text(LEAVE)
    steps = receipt.locator(".chart li:not(.sum)")
    expect(steps.filter(has=page.get_by_text("search", exact=True)).locator(".ms")).to_have_text(re.compile(r"^[\d.]+ m?s$"))
    room = steps.first.evaluate("row => parseFloat(getComputedStyle(row).gridTemplateColumns.split(' ')[1])")
    assert max(bar.bounding_box()["width"] for bar in steps.locator(".bar").all()) == pytest.approx(room, abs=1)
    rows = receipt.locator("tbody tr")
    expect(rows).to_have_count(2)
    rank, title, on_page, score, _, _, cited = rows.first.locator("th, td").all_inner_texts()
    assert (rank, title, on_page, cited) == ("1", "Employee handbook", "2", "1")
    assert re.fullmatch(r"[01]\.\d\d", score)
    expect(rows.nth(1).locator("td").last).to_have_text("–")
    left_out = receipt.locator(".left-out")
    left_out.locator("summary").click()
    reworded = left_out.locator("li").filter(has=page.get_by_text("reformulate", exact=True))
    expect(reworded).to_contain_text("off by default")
    expect(left_out.locator("li").filter(has=page.get_by_text("search", exact=True))).to_have_count(0)
    rows.nth(1).locator("button").click()
    expect(page.locator("#passage-title")).to_have_text("Employee handbook")
    page.reload()
    page.locator(".receipt summary").click()
    expect(page.locator(".left-out")).to_have_count(0)
    expect(page.locator(".receipt .chart li:not(.sum)")).not_to_have_count(0)


def test_a_question_is_asked_again_and_both_answers_are_compared(screen: Screen, page: Page) -> None:
    screen.answer_to(LEAVE)
    page.locator(".receipt summary").first.click()
    written = page.locator(".receipt .chart li").filter(has=page.get_by_text("generate", exact=True))
    expect(written).to_contain_text(re.compile(r"\d+ tokens"))
    page.get_by_text("Ask again and compare").click()
    fold = page.locator(".receipt .replay")
    fold.get_by_label("Level").select_option("basic")
    fold.get_by_role("button", name="Ask again").click()
    expect(fold.get_by_role("status")).to_have_text(re.compile("The answer has"))
    then, now = fold.locator(".sides section").all()
    expect(then.get_by_role("heading")).to_have_text("Then")
    expect(now.locator(".cited")).to_contain_text("Employee handbook")
    expect(fold.get_by_role("row", name="Level standard basic", exact=True)).to_be_visible()
    expect(fold.get_by_role("region", name="Optional parts that changed")).to_contain_text("level basic")
    expect(fold.get_by_role("region", name="Rank of the passages").locator("tbody tr").first).to_contain_text("Employee handbook")
    expect(fold.get_by_role("region", name="Steps").locator("tr").filter(has=page.get_by_text("generate", exact=True))).to_contain_text("/")
    page.route("**/turns/*/replay", lambda route: route.abort())
    fold.get_by_role("button", name="Ask again").click()
    expect(fold.get_by_role("status")).to_contain_text("could not be asked again")
    screen.complaints.clear()  # of the request that was cut off
    assert grave_in(page) == []


# --- follow-ups -------------------------------------------------------------------------------


def test_a_follow_up_is_asked_by_a_click_in_the_same_conversation(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    held: list[Route] = []
    page.route("**/collections?*", lambda route: held.append(route))
    with page.expect_response("**/conversations?*"):
        page.reload()
    screen.ask(LEAVE)  # at once: it waits for the collections
    expect(page.locator("#question")).to_have_value("")
    for route in held:
        route.continue_()
    page.unroute("**/collections?*")
    screen.finished()
    expect(page.locator(".answer")).to_contain_text("28 days")
    expect(page.locator(".receipt summary")).to_contain_text("quoted, no language model")
    expect(page.locator(".receipt summary")).not_to_contain_text("token")

    room = page.evaluate("location.hash")
    follow_up = page.locator(".follow-ups button").first
    asked = follow_up.inner_text()
    follow_up.click()
    expect(page.locator(".question")).to_have_text([LEAVE, asked])
    screen.finished()
    expect(page.locator(".follow-ups:visible")).to_have_count(1)
    expect(page.locator("#question")).to_be_focused()
    assert page.evaluate("location.hash") == room


def test_a_korean_follow_up_is_a_heading_and_is_answered_in_the_conversation(open_screen: Open, server: str) -> None:
    screen = open_screen(server, locale="ko-KR")
    page = screen.page
    screen.add("handbook.md", (HERE / "handbook.ko.md").read_bytes())
    screen.answer_to("직원의 연차 휴가는 매년 며칠입니까?")
    offered = page.locator(".follow-ups").last
    expect(offered.get_by_role("heading")).to_have_text("이어서 질문하기")
    expect(offered.get_by_role("button")).to_have_text(["출장 비용"])
    offered.get_by_role("button").click()
    screen.finished()
    expect(page.locator(".answer").last).to_contain_text("2주 안에 출장 비용을 환급합니다")


# --- the stream ------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_reloaded_page_resumes_the_answer_and_a_stopped_one_is_asked_for_again(screen: Screen, page: Page) -> None:
    screen.ask("Tell me slowly about annual leave")
    expect(page.locator(".answer")).to_contain_text("and 3")
    page.reload()
    expect(page.locator(".question")).to_have_text("Tell me slowly about annual leave")
    expect(page.locator(".answer")).to_contain_text("One moment")
    expect(page.locator(".answer")).to_contain_text("and 9")
    page.locator("#stop").click()
    screen.finished()
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".answer")).to_contain_text("One moment")
    expect(page.locator(".question")).to_have_count(1)
    page.locator("#stop").click()
    screen.finished()
    screen.complained_only_of("status of 404")  # the conversation is stored with its first answer


TOKEN = b'"type": "token"'


class CuttingProxy:
    """A proxy that holds the next answer stream of a server before its first token until `cut`, and cuts it then.

    What the page has been sent and not yet read is lost with the connection: a test cuts when it has seen what comes before."""

    def __init__(self, server: str) -> None:
        parts = urlsplit(server)
        self._server = (parts.hostname or "", parts.port or 0)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self.cut = threading.Event()

        self._holds = True

    def hold(self) -> None:
        """The next stream, too."""
        self.cut.clear()
        self._holds = True

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection(self._server)
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def close(self) -> None:
        self.cut.set()
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        sent = b""  # the end of what was sent: a token's name may come in two pieces
        with suppress(OSError), closing(source), closing(sink):
            while data := source.recv(65_536):
                place = (sent + data).find(TOKEN)
                if place >= 0 and self._holds:
                    self._holds = False
                    sink.sendall(data[: max(0, place - len(sent))])
                    self.cut.wait()
                    sink.shutdown(socket.SHUT_RDWR)
                    return
                sink.sendall(data)
                sent = (sent + data)[1 - len(TOKEN) :]


@contextmanager
def cutting(server: str) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(server)
    thread = threading.Thread(target=proxy.serve)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join(5)


def forget(route: Route) -> None:
    """As a server that no longer has the stream."""
    if "last-event-id" in route.request.headers:
        route.fulfill(status=404, content_type="application/problem+json", body='{"title": "Not found", "status": 404}')
    else:
        route.continue_()


def test_an_answer_resumes_after_a_lost_connection_and_is_generated_once(open_handbook: Open, server_with_model: str) -> None:
    with cutting(server_with_model) as proxy:
        screen = open_handbook(proxy.url)
        page = screen.page
        quoted = page.locator(".meanwhile")
        page.evaluate(OBSERVE_STATUS)
        screen.ask(LEAVE)
        expect(quoted).to_be_visible()
        proxy.cut.set()
        screen.finished()
        expect(page.locator(".answer p")).to_have_text("Yes 🎉, 28 days1.")
        assert page.evaluate("said") == [
            "Looking for an answer.",
            "Meanwhile 1 passage is quoted. The language model is still writing.",
            "Connection lost. Trying again; the answer continues once it is restored …",
            "Connection restored.",
            "The answer is complete, with 1 citation.",
        ]
        expect(page.get_by_role("log")).to_have_attribute("aria-live", "off")
        expect(page.locator(".link")).to_be_hidden()
        asked = [url for url in screen.requests if url.endswith("/ask/stream")]
        room = page.evaluate("location.hash").removeprefix("#/c/")
        turns = page.request.get(f"{server_with_model}/conversations/{room}").json()["data"]
        assert (len(asked), len(turns)) == (2, 1)
        proxy.hold()
        page.route("**/ask/stream", forget)
        screen.ask("What are the rules of annual leave?")
        expect(quoted).to_have_count(2)
        expect(quoted.last).to_be_visible()
        proxy.cut.set()
        screen.finished()
        expect(page.locator(".failed")).to_contain_text("The server no longer has this answer.")
        page.get_by_role("button", name="Ask again").click()
        expect(page.locator(".answer p").last).to_have_text("Yes 🎉, 28 days1.")
        expect(page.locator(".question")).to_have_count(2)
        screen.complained_only_of("ERR_", "status of 404")  # logged by the browser itself


def token_events(*texts: str) -> bytes:
    """An answer stream that ends before `done`."""
    events = [f"id: cut.{n}\ndata: {json.dumps({'type': 'token', 'content': text})}\n\n" for n, text in enumerate(texts, start=1)]
    return "".join(events).encode()


def test_an_error_below_a_long_answer_is_not_covered_by_the_question_box(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    page.set_viewport_size({"width": 390, "height": 740})
    states: list[str] = ["open", "lost"]

    def answer(route: Route) -> None:
        state = states.pop(0) if states else "forgotten"
        if state == "lost":
            page.locator("#question").fill("The next question\nin\nfour\nlines")
            route.abort()
        elif state == "forgotten":
            route.fulfill(status=404, content_type="application/problem+json", body='{"title": "Not found", "status": 404}')
        else:
            headers = {"content-type": "text/event-stream", "x-trace-id": "cut"}
            route.fulfill(headers=headers, body=token_events(*(f"Paragraph {n}.\n\n" for n in range(60))))

    page.route("**/ask/stream", answer)
    screen.ask(LEAVE)
    for note in (page.locator(".link"), page.locator(".failed")):
        expect(note).to_be_visible()
        assert bottom(note) <= page.locator("#ask").bounding_box()["y"]
    expect(page.locator(".failed")).to_contain_text("Ask again")
    screen.complained_only_of("ERR_", "status of 404")


def bottom(shown: Locator) -> float:
    box = shown.bounding_box()
    assert box
    return box["y"] + box["height"]
