"""Formulas and code in answers."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Screen
from tests.browser.test_accessibility import STILL, Open, grave_in_both
from tests.browser.test_source import digest

WEB = Path(__file__).parents[2] / "functions" / "query" / "footnote_query" / "web"
CODE = 'days = {"annual": 28}\nprint(days["annual"])'


FORMULA = "By which formula is annual leave paid?"


def test_formulas_are_typeset_code_is_copied_and_prices_are_left_alone(open_handbook: Open, server_with_model: str, tmp_path: Path) -> None:
    screen = open_handbook(server_with_model, **STILL, permissions=["clipboard-read", "clipboard-write"])
    page: Page = screen.page
    answer = page.locator(".answer").last
    screen.answer_to("How many days of annual leave do employees receive?")
    assert not [url for url in screen.requests if "/katex/" in url]  # loaded for the first formula
    screen.answer_to(FORMULA)
    expect(answer.locator(".katex")).to_have_count(5)
    written = answer.locator("annotation").all_text_contents()
    assert written == [r"c = \frac{d}{260}", "d_1^2", "x", "\\sum_{i=1}^{n} i\n= \\frac{n(n+1)}{2}", "1_000"]
    expect(answer).to_contain_text("not $5 and $10, nor $a_1$.")
    expect(answer).to_contain_text(r"Not TeX: $$\nothing{$$")
    expect(answer.locator(".display .katex-display")).to_have_count(1)
    expect(answer.locator(".cite")).to_have_count(1)
    page.get_by_role("button", name="Copy the code").press("Enter")
    expect(page.locator(".code .copied")).to_have_attribute("aria-label", "Copied")
    assert page.evaluate("navigator.clipboard.readText()") == CODE
    assert grave_in_both(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    answer.scroll_into_view_if_needed()
    screen.picture(tmp_path / "formulas.png")


def test_the_vendored_katex_matches_its_checksums() -> None:
    rows = re.findall(r"^\| `katex/([\w.]+/?)` .*`([0-9a-f]{64})` \|$", (WEB / "vendor/VENDORED.md").read_text(), re.MULTILINE)
    found = {path.name + "/" * path.is_dir(): digest(path) for path in (WEB / "vendor/katex").iterdir() if path.name != "LICENSE"}
    assert dict(rows) == found


IN_CODE = "Old [^a] `grep [^0-9]`\n\n```sh\nsed [^a-z] [^a]\n```\n\n- ~~~\n  x [^b]\n  ~~~\n\nBlue [^b]. `[^"
DRAW_CODE = """async text => {
  const { renderAnswer, renderLive } = await import('/web/markdown.js')
  const spans = [...text.matchAll(/\\[\\^[ab]\\]/g)].map(({ index }) => [index, index + 4])
  const made = [renderLive(text, () => '•'), renderAnswer(text, [{ number: 1, spans }], (number, span) => `{${span}}`)]
  return made.map(fragment => fragment.textContent.replace(/\\s+/g, ' ').trim())
}"""


COUNT = """async formulas => {
  const { typeset } = await import('/web/maths.js')
  const stage = document.body.appendChild(document.createElement('div'))
  const spanOf = textContent => Object.assign(document.createElement('span'), { className: 'formula', textContent })
  stage.append(...formulas.map(spanOf))
  await typeset(stage)
  const found = [...stage.children].map(node => node.querySelector('.katex') !== null)
  stage.remove()
  return found
}"""
HOSTILE = [
    r"\href{javascript:alert(1)}{a}", r"\url{https://spy.example/a}", r"\includegraphics{https://spy.example/a.png}", r"\htmlClass{x}{a}",
    r"\htmlStyle{position:fixed}{a}", r"\htmlData{a=b}{a}", r"\def\a{\a\a}\a", r"\rule{999999em}{999999em}", "<img src=x onerror=alert(1)>",
]  # fmt: skip
TYPESET = """async formulas => {
  const { typeset } = await import('/web/maths.js')
  const stage = document.body.appendChild(document.createElement('div'))
  for (const formula of formulas) {
    const span = stage.appendChild(document.createElement('span'))
    span.className = 'formula'
    span.textContent = formula
  }
  await typeset(stage)
  const found = [...stage.querySelectorAll('a, img, script, iframe, [href], [onerror], .x, [data-a]')].map(node => node.outerHTML)
  const widest = Math.max(...[...stage.querySelectorAll('.rule')].map(node => node.offsetWidth), 0)
  stage.remove()
  return { found, widest }
}"""


STARTS = """async text => {
  const { renderAnswer } = await import('/web/markdown.js')
  return [...renderAnswer(text, [], null).querySelectorAll('ol')].map(list => list.start)
}"""


LINKS = """async text => {
  const { renderAnswer } = await import('/web/markdown.js')
  const at = text.indexOf('[^a]')
  const marked = renderAnswer(text, [{ number: 1, spans: [[at, at + 4]] }], number => `{${number}}`)
  return [...marked.querySelectorAll('a')].map(link => link.getAttribute('href'))
}"""
ADDRESSES = """Forms: https://example.org/a/b?c=1 [^a] and „https://example.org/c“ (https://example.org/d).
양식은 https://example.org/e에서, https://example.org/에서도 찾고 https://ko.wikipedia.org/wiki/서울 을 보세요.
https://de.wikipedia.org/wiki/Köln, www.example.org/f에 [Named](https://example.org/g에서)"""


def test_a_bare_address_ends_before_a_citation_a_quotation_mark_and_a_particle(screen: Screen, page: Page) -> None:
    assert page.evaluate(LINKS, ADDRESSES) == [
        "https://example.org/a/b?c=1",
        "https://example.org/c",
        "https://example.org/d",
        "https://example.org/e",
        "https://example.org/",
        "https://ko.wikipedia.org/wiki/%EC%84%9C%EC%9A%B8",
        "https://de.wikipedia.org/wiki/K%C3%B6ln",
        "http://www.example.org/f",
        "https://example.org/g%EC%97%90%EC%84%9C",
    ]


def test_formulas_do_no_harm_and_markers_are_drawn_outside_code_only(screen: Screen, page: Page) -> None:
    live, answer = page.evaluate(DRAW_CODE, IN_CODE)
    assert live == "Old• grep [^0-9] sed [^a-z] [^a] x [^b] Blue•. `"
    assert answer == "Old{0} grep [^0-9] sed [^a-z] [^a] x [^b] Blue{3}. `[^"
    assert page.evaluate(STARTS, "1. one\n2. two\n\n```sh\nrun\n```\n\n3. three") == [1, 3]

    result = page.evaluate(TYPESET, HOSTILE)
    assert result["found"] == []
    assert result["widest"] < 1000
    deep = [f"$$a{'{' * depth}b{'}' * depth}$$" for depth in (20, 21, 5000)] + [r"$$\left(" * 2000]
    assert page.evaluate(COUNT, deep) == [True, False, False, False]
    assert page.evaluate(COUNT, ["$a_1$"] * 310) == [True] * 300 + [False] * 10
    screen.assert_quiet()

    page.route("**/katex.min.js", lambda route: route.abort())
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    assert page.evaluate(COUNT, ["$a_1$"]) == [False]  # it stays as it was written
    screen.complained_only_of("ERR_FAILED")  # logged by the browser itself
