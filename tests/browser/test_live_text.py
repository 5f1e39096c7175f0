"""An answer while it arrives: what is drawn again with each piece of text, counted in nodes."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import NARROW, STILL, Open, close_sheet

WORDS = "The workshop is open to everybody who has signed the form [^a] and **read** the `rules` of the house. "
TEXT = "\n\n".join(
    [
        "# Workshop",
        *(f"{WORDS * 3}({n})" for n in range(4)),
        "\n".join(f"- {WORDS}({n})" for n in range(20)),
        "| Day | Opens |\n| --- | --- |\n" + "\n".join(f"| {n} | {n} o'clock |" for n in range(20)),
        "```python\n" + "\n".join(f"step({n})  # {WORDS}" for n in range(20)) + "\n```",
        "1. One\n2. Two\n   - Three\n\nThe end.",
    ]
)
DRAW = """async text => {
  const { LiveText } = await import('/web/live_text.js')
  const { renderLive } = await import('/web/markdown.js')
  const body = document.createElement('div')
  const live = new LiveText(body)
  let added = 0
  const observer = new MutationObserver(records => {
    for (const { addedNodes } of records) for (const node of addedNodes) added += 1 + (node.querySelectorAll?.('*').length ?? 0)
  })
  observer.observe(body, { subtree: true, childList: true })
  const pieces = text.match(/[^]{1,7}/g)
  let first = null
  for (const piece of pieces) {
    live.add(piece)
    live.draw()
    await null
    first ??= body.querySelector('p')
  }
  const whole = document.createElement('div')
  whole.append(renderLive(text, () => Object.assign(document.createElement('sup'), { className: 'dot', textContent: '•' })))
  const of = node => node.innerHTML.replace(/\\s+/g, ' ').replaceAll('> <', '><').trim()
  const elements = whole.querySelectorAll('*').length
  return { added, pieces: pieces.length, elements, kept: body.contains(first), same: of(body) === of(whole) }
}"""
PUT = """async count => {
  const { replaceInPieces } = await import('/web/live_text.js')
  const block = (name, n) => {
    const node = document.createElement('p')
    node.append(...Array.from({ length: n }, () => Object.assign(document.createElement('b'), { textContent: name })))
    return node
  }
  const body = document.createElement('div')
  body.append(...Array.from({ length: count + 3 }, () => block('old', 1)))
  const sizes = []
  new MutationObserver(records => {
    sizes.push(records.flatMap(({ addedNodes }) => [...addedNodes]).reduce((all, node) => all + node.querySelectorAll('*').length, 0))
  }).observe(body, { childList: true })
  await replaceInPieces(body, Array.from({ length: count }, (_, n) => block(`${n}`, 25)))
  return { sizes, texts: [...body.children].map(node => node.firstChild.textContent), old: body.querySelectorAll('b').length }
}"""


def test_what_has_arrived_is_drawn_once_and_only_the_last_block_again(page: Page) -> None:
    drawn: dict[str, Any] = page.evaluate(DRAW, TEXT)
    assert drawn["same"], "It looks like the whole text."
    assert drawn["kept"]
    assert drawn["pieces"] > 700
    assert drawn["added"] < 6 * drawn["elements"]  # to draw the whole text with each piece would add some 60,000


def test_a_finished_answer_is_put_in_place_a_few_elements_at_a_time(page: Page) -> None:
    put: dict[str, Any] = page.evaluate(PUT, 12)
    assert put["texts"] == [str(n) for n in range(12)]
    assert put["old"] == 12 * 25
    assert sum(put["sizes"]) == 12 * 25
    assert max(put["sizes"]) <= 60
    assert len(put["sizes"]) >= 6


def test_a_streamed_paragraph_stays_the_same_element(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model, **NARROW, **STILL)
    page: Page = screen.page
    close_sheet(page)
    screen.ask("Tell me slowly about annual leave")
    expect(page.locator(".answer .dot")).to_be_visible()
    page.evaluate("window.kept = document.querySelector('.answer p')")
    expect(page.locator(".answer")).to_contain_text("and 20")
    assert page.evaluate("document.querySelector('.answer p') === kept")
    page.locator("#stop").click()
    screen.finished()
    expect(page.locator(".answer")).to_contain_text("and 20")
