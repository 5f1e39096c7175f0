"""Answers nested deeper, or longer, than a page can draw: they are shown as far as can be, and take nothing else with them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests import nightly
from tests.browser.conftest import DEEP, Screen
from tests.browser.test_accessibility import Open
from tests.browser.test_feedback_view import ROW, listing, of_rows, open_view, rate

LEAVE = "How many days of annual leave do employees receive exactly?"
NUMBERS = range(len(DEEP)) if nightly.DEEP else (0, 3)
N = 20_000
SHAPES = [
    "- " * N + "a", "* " * N + "a", "1. " * N + "a", "> " * N + "a", ">" * N, "> - " * N, "1. > * " * N, "-\t" * N + "a",
    "\n".join("  " * depth + "- a" for depth in range(300)), "\n".join(">" * depth + " a" for depth in range(200)),
    "[" * N, "[" * N + "a" + "](b)" * N, "![" * N, "[a](" * N, "[a][" * N, "*" * N + "a" + "*" * N, "*a **b " * N,
    "**a *b" * N, "_a " * N,
    "a**b" * N + "c* " * N, "b" + "~~" * N + "a" + "~~" * N, "`a``" * N, "$$" * N, "\\[" * N,
    "\n\\[a" * N, "$a=b" * N, "<" * N, "<div>" * N,
    "a@" * N, "a." * N + "@", "!" * N, "*-" * N, "|" * 2000 + "\n" + "|-" * 2000 + "\n" + "|\n" * 2900, "a\n" * N,
    "- a\n" * N, " " * N + "a",
    f"[a]: http://{'b' * 20_000}\n\n" + "[a] " * 5000, "```\n" * N, "a" * 200_000,
]  # fmt: skip
DRAW = """async shapes => {
  const { renderAnswer, renderLive } = await import('/web/markdown.js')
  const depthOf = node => 1 + Math.max(0, ...[...node.children].map(depthOf))
  const made = (text, end) => {
    const cited = [{ number: 1, spans: [[text.length - end - 3, text.length - end]] }]
    return [renderLive(text, () => 'dot'), renderAnswer(text, cited, () => 'mark')].map(fragment => {
      document.body.append(Object.assign(document.createElement('div'), { id: 'stage' }))
      document.querySelector('#stage').append(fragment)
      const stage = document.querySelector('#stage')
      stage.getBoundingClientRect()
      const found = [depthOf(stage), stage.innerHTML.length / text.length, stage.textContent]
      stage.remove()
      return found
    })
  }
  return shapes.map(shape => made(`It is **so**.\\n\\n${shape}\\n\\nSafe words [^a].`, 1).map(([depth, growth, text]) =>
    ({ depth, growth, isWhole: /^It is so\\./.test(text) || /^It is \\*\\*so/.test(text), end: text.trim().slice(-17).trim() })))
}"""


@pytest.mark.nightly
@pytest.mark.timeout(240)
def test_the_drawn_answer_is_bounded_whatever_its_shape(screen: Screen) -> None:
    for shape in SHAPES:
        ((live, answer),) = screen.page.evaluate(DRAW, [shape])
        assert max(live["depth"], answer["depth"]) < 90, shape[:20]
        assert max(live["growth"], answer["growth"]) < 25, shape[:20]
        assert [live["isWhole"], answer["isWhole"]] == [True, True], shape[:20]
        assert ["Safe words" in live["end"], "mark" in answer["end"]] == [True, True], shape[:20]


@pytest.mark.nightly
@pytest.mark.timeout(240)
def test_deep_answers_leave_the_conversation_and_its_other_views_whole(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    page: Page = screen.page
    questions = [f"How many days of annual leave, in deep answer {number}?" for number in NUMBERS] + [LEAVE]
    for question in questions:
        screen.answer_to(question)
        expect(page.locator(".turn").last.locator(".answer .cite").first).to_be_visible()
    assert_whole(page, questions)
    page.reload()
    assert_whole(page, questions)
    room = page.url.partition("#/c/")[2]
    turns = page.request.get(f"{server_with_model}/conversations/{room}").json()["data"]
    for turn in turns:
        assert page.request.post(f"{server_with_model}/feedback", data={"trace_id": turn["trace_id"], "rating": "down"}).ok
    dialog = open_view(page, screen.index)
    expect(dialog.locator(".card")).to_have_count(len(questions))
    for card in dialog.locator(".card").all():
        card.get_by_text("Answer", exact=True).click()
    assert dialog.locator(".answer").count() == len(questions)
    assert [text for text in dialog.locator(".answer").all_inner_texts() if "Safe words" not in text and "28 days" not in text] == []
    shared = page.request.post(f"{server_with_model}/shares", data={"room_id": room}).json()
    page.goto(f"{server_with_model}{shared['path']}")
    assert_whole(page, questions)


def assert_whole(page: Page, questions: list[str]) -> None:
    """All turns are there, each with the end of its answer."""
    expect(page.locator(".question")).to_have_text(questions)
    expect(page.locator(".turn .answer")).to_have_count(len(questions))
    for answer in page.locator(".turn .answer").all()[:-1]:
        expect(answer).to_contain_text("Safe words")
    expect(page.locator(".turn .answer").last).to_contain_text("28 days")


BREAK = """() => {
  const real = Array.from
  Array.from = (text, ...more) => {
    if (text === 'Broken answer.') throw new RangeError('broken')
    return real(text, ...more)
  }
}"""
NOT_DRAWN = "This answer cannot be displayed as it should be. This is its text:"


@pytest.mark.nightly
def test_a_turn_that_cannot_be_drawn_shows_its_text_and_takes_no_others_with_it(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page: Page = screen.page
    asked = rate(page, server, screen.index, LEAVE, "down")
    rate(page, server, screen.index, "What does travel cost?", "down")
    page.add_init_script(f"({BREAK})()")
    room = f"room-{screen.index}"

    def broken(route: Route) -> None:
        reply = route.fetch().json()
        for turn in reply["data"]:
            if turn["trace_id"] == asked["trace_id"]:
                turn["answer"] = "Broken answer."
        route.fulfill(json=reply)

    page.route("**/conversations/*", broken)
    page.goto(f"{server}/#/c/{room}")
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").first.locator(".answer")).to_have_text(f"{NOT_DRAWN}Broken answer.")
    expect(page.locator(".turn").last.locator(".answer")).not_to_contain_text(NOT_DRAWN)
    listing(page, of_rows({**ROW, "answer": None, "citations": None}, ROW))
    cards = open_view(page).locator(".card")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text(NOT_DRAWN)
    expect(cards.last).to_contain_text("The plan")
    shared = page.request.post(f"{server}/shares", data={"room_id": room}).json()

    def half(route: Route) -> None:
        reply = route.fetch().json()
        reply["data"][0] |= {"answer": "Broken answer.", "citations": None}
        route.fulfill(json=reply)

    page.route("**/shares/open?*", half)
    page.goto(f"{server}{shared['path']}")
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").first).to_contain_text(f"{NOT_DRAWN}Broken answer.")
    screen.complained_only_of("broken", "null")  # the page's own reports of what was broken
