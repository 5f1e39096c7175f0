"""The first files of a collection: what the list of uploads, the picker and the start page say agrees."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Screen

TOLD = """() => {
  const text = id => document.getElementById(id).textContent
  const option = document.getElementById('index').selectedOptions[0]?.textContent
  return [text('uploads-title').trim(), option, text('welcome-text'), document.getElementById('first-file').checkVisibility()]
}"""
OBSERVE = f"""() => {{
  window.told = [] // at each frame that is drawn
  const tell = {TOLD}
  const note = () => requestAnimationFrame(note) && told.push(tell())
  note()
}}"""


def test_a_file_is_done_when_the_page_counts_it_as_answerable(screen: Screen, page: Page) -> None:
    held: list[Route] = []
    page.route("**/collections?*", lambda route: held.append(route))  # which is slow where it makes questions
    page.evaluate(OBSERVE)
    screen.pick({f"letter {n}.txt": f"Letter {n} reached the harbour master on a Monday.".encode() for n in range(1, 7)})
    expect(page.locator("#uploads-title")).to_contain_text("6 added")
    expect(page.locator("#index option:checked")).to_have_text(f"{screen.index} · 6 documents")
    told = [each for each in page.evaluate("told") if each[0].startswith("6 added")]
    assert told, "the list of uploads was never done"
    assert {(count, text, add) for _, count, text, add in told} == {
        (f"{screen.index} · 6 documents", "Every sentence of an answer cites the passage that supports it.", False)
    }
    for route in held:
        route.continue_()
    page.unroute_all(behavior="wait")
    expect(page.locator("#index option:checked")).to_have_text(f"{screen.index} · 6 documents")
