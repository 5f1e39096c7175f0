"""Whatever text a model sends, the page makes no request to other hosts and runs no script, also while the text arrives."""

from __future__ import annotations

from tests.browser.conftest import Screen

U = "https://spy.example/a"
PAYLOADS = (
    f"![a]({U})",
    f"![a]( {U} 'title')",
    f"![a](<{U}>)",
    f"![a][r]\n\n[r]: {U}",
    f"![r]\n\n[r]: {U} 'title'",
    f"![r][]\n\n[r]: <{U}>",
    f"[![a]({U})]({U})",
    f"![![a]({U})]({U})",
    f"> ![a]({U})",
    f"- ![a]({U})\n- **![b]({U})**",
    f"| a |\n| - |\n| ![a]({U}) |",
    f"# ![a]({U})",
    f"~~![a]({U})~~ _![b]({U})_",
    "![a](//spy.example/a)",
    "![a](\\\\spy.example\\a)",
    "![a](http:spy.example)",
    "![a](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)",
    "![a](javascript:alert(1))",
    f"![a\n]({U})",
    f"!\\[a]({U}) \\![b]({U}) &#33;[c]({U})",
    f"\ue000![a]({U})\ue001 \ue0001\ue001",
    f"<img src={U}>",
    f'<img src="{U}" srcset="{U} 2x">',
    f"<IMG\n SRC='{U}'>",
    f"<picture><source srcset={U}><img></picture>",
    "<img src=x onerror=alert(1)>",
    "<img/src=x/onerror=alert(1)//",
    "<img src=x onerror\n=\nalert(1)>",
    "<svg onload=alert(1)>",
    f"<svg><image href={U} /></svg>",
    f"<svg><use href='{U}#a'/></svg>",
    f"<svg><style>*{{background:url({U})}}</style></svg>",
    "<script>alert(1)</script>",
    f"<script src={U}></script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    f"<iframe src={U}></iframe>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'>",
    f"<object data={U}></object><embed src={U}>",
    f"<video src={U} poster={U} autoplay></video><audio src={U} autoplay>",
    f"<link rel=stylesheet href={U}><link rel=prefetch href={U}><link rel=dns-prefetch href=//spy.example>",
    f"<meta http-equiv=refresh content='0;url={U}'>",
    f"<base href={U}>",
    f"<style>@import '{U}'; body{{background:url({U})}}</style>",
    f"<p style='background:url({U})'>a</p>",
    f"<table background={U}><tr><td background={U}>a</table>",
    f"<body background={U} onload=alert(1)>",
    f"<form action={U}><input type=image src={U}><button autofocus onfocus=alert(1)>",
    f"<a href={U} ping={U}>a</a>",
    "<details open ontoggle=alert(1)><summary>a</summary></details>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><img src=x onerror=alert(1)></template>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[><img src=x onerror=alert(1)>]]>",
    "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](&#106;avascript:alert(1)) [d](java\tscript:alert(1))",
    f"[a](javascript:alert(1)//{U}) [b](vbscript:a//mailto:a@b.c) [c](JAVASCRIPT:{U}) [d](data:text/html,{U}) [e](x:{U})",
    f"[a]: javascript:alert(1)//{U}\n\n[a] <javascript:{U}> [b](//mailto:a@b.c) [c](file:///{U})",
    "[a](data:text/html,<script>alert(1)</script>) [b](vbscript:alert(1)) [c](file:///etc/passwd)",
    "[a]: javascript:alert(1)\n\n[a] <javascript:alert(1)>",
    f"[a]({U}\"onmouseover=alert(1)) [b](<{U}\"> onclick=alert(1)>)",
    f"```mermaid\ngraph TD; A[\"<img src='{U}'>\"]\n```",
    f"```html\n<img src={U}>\n```\n`<img src={U}>` ``![a]({U})``",
    f"$$\\includegraphics{{{U}}}$$ \\[\\href{{javascript:alert(1)}}{{a}}\\]",
    f"[^<img src={U}>] [^x](javascript:alert(1)) [^![a]({U})]",
)  # fmt: skip

SHOW = """async payloads => {
  const { renderAnswer, renderLive } = await import('/web/markdown.js')
  const stage = document.body.appendChild(document.createElement('div'))
  const found = []
  let shown = 0
  const show = (fragment, payload) => {
    stage.replaceChildren(fragment)
    shown += 1
    for (const node of stage.querySelectorAll('*')) {
      const known = ['href', 'start', 'align', 'target', 'rel', 'class', 'tabindex']
      const names = node.getAttributeNames().filter(name => !known.includes(name))
      const href = node.getAttribute('href')
      if (/^(IMG|SCRIPT|IFRAME|SVG|STYLE|LINK|OBJECT|EMBED|VIDEO|AUDIO|FORM|INPUT|BUTTON|BASE|META|MATH|TEMPLATE)$/i.test(node.nodeName) ||
          names.length || (href !== null && !/^(https?:\\/\\/|mailto:)/i.test(href))) found.push([payload, node.outerHTML])
    }
  }
  for (const payload of payloads) {
    const text = `It opened. ${payload} It closed.`
    for (let end = 11; end <= text.length; end += 1) show(renderLive(text.slice(0, end), () => document.createElement('i')), payload)
    show(renderAnswer(text, [{ number: 1, spans: [[0, 2]] }], number => document.createTextNode(String(number))), payload)
    await new Promise(resume => requestAnimationFrame(resume))
  }
  await fetch('/health') // what was asked for before has been sent, or refused by the policy
  stage.remove()
  return { found, shown }
}"""


def test_nothing_is_fetched_or_run_wherever_the_text_is_cut(screen: Screen) -> None:
    result = screen.page.evaluate(SHOW, list(PAYLOADS))
    assert len(PAYLOADS) >= 60
    assert result["found"] == []
    assert result["shown"] > 60 * 40
    screen.assert_quiet()
