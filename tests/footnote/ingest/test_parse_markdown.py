"""What site generators and note-taking programs add to Markdown."""

from __future__ import annotations

import time

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse


def texts(written: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse(written.encode(), "notes.md").blocks]


def text(written: str) -> str:
    return " / ".join(text for _, text in texts(written))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('See the [transit benefit]({% page "/transit benefit/" %}) page.', "See the transit benefit page."),
        ("Read [the guide]({% link _docs/guide.md %}#start) and [the FAQ]({{ site.baseurl }}/faq).", "Read the guide and the FAQ."),
        ("See [the lexicon][lex].\n\n[lex]: {% page '/lexicon/' %}", "See the lexicon."),
        ('See [the\nguide]({% page\n"/guide/" %}).{% include "steps.html"\nsteps: all\n%}', "See the guide."),
        ('Ask in {% slack_channel "tweet-this" %} or {%- channel "legal" -%}.', "Ask in tweet-this or legal."),
        ('{% image "_img/8.png" "reviewing the flight" %}', "reviewing the flight"),
        ('{% include note.html content="The gate closes at nine." type="tip" %}', "The gate closes at nine."),
        ('{% assign mill = "x" %}Wool.{% if a == "b" %} Flax.{% endif %}', "Wool. Flax."),
        ('{{< figure src="/mill.png" title="The mill at dawn" >}}', "The mill at dawn"),
        ("{{% notice info %}}\nWool is sold.\n{{% /notice %}}", "Wool is sold."),
        ("Write {% raw %}{% page x %}{% endraw %} for a link.", "Write {% page x %} for a link."),
        ("Dear {{ name }}, the cost is {{ price }}.", "Dear {{ name }}, the cost is {{ price }}."),
        ("`{% if user %}` begins a condition.", "{% if user %} begins a condition."),
        ("See [[Project Plan|the plan]], [[Budget]] and ![[tower.png]].", "See the plan, Budget and ."),
        ("![[plan.png|The mill and its pond]]\n\n![[plan.png|200]]\n\n![[Wool prices]]", "The mill and its pond / Wool prices"),
        ("See [[Wool#Prices]], [[#Flax]] and [[Mill#^a1b2c3|the mill]].", "See Wool > Prices, Flax and the mill."),
        ("| Ware | Page |\n|---|---|\n| Wool | [[Wool\\|about wool]] |", "| Ware | Page |\n| --- | --- |\n| Wool | about wool |"),
        (
            "Wool is sold. ^b4c5d6\n\n^keeper-rule\n\n%%Ask Ann\n\nagain%%\n\nFlax %%not%% is not, at 5 %% or 6 %%x.",
            "Wool is sold. / Flax is not, at 5 %% or 6 %%x.",
        ),
        (
            "keeper:: Ann Lee\n- open:: Sundays\n- [due:: 2 May] (call std::sort)",
            "keeper: Ann Lee / - open: Sundays\n- due: 2 May (call std::sort)",
        ),
        ("About 10^8^ fibres, wet since 1871^2^, x^2 and y^2.", "About 10⁸ fibres, wet since 1871, x^2 and y^2."),
        ("#mill/lamp Wool is sold #today.", "#mill/lamp Wool is sold #today."),
        (
            "The price is $p_1 * q_1 * r$, from $5 to $10. $$x_{ab}^{2}*y*z$$",
            "The price is $p_1 * q_1 * r$, from $5 to $10. $$x_{ab}^{2}*y*z$$",
        ),
        ("$$\n\\frac{a}{b} *c* \\{d\\}\n$$", "$$ \\frac{a}{b} *c* \\{d\\} $$"),
        ("The mill is ==closed== today, as a==b==c says.", "The mill is closed today, as a==b==c says."),
        ("[[_TOC_]]\n\nWool.", "Wool."),
        ("## Sizes {#sizes-(all) .wide}\n\nLearn more{.usa-button} of {wool}.\n{: .note }", "Sizes / Learn more of {wool}."),
        ("import Tabs from '@theme/Tabs';\n\nimport the wool from Ghent.\n\n{/* hidden */}", "import the wool from Ghent."),
        ("The tower[^1] was lit.\n\n[^1]: By its keeper.", "The tower was lit. / 1. By its keeper."),
        ("Keeper\n: Lights the lamp.", "Keeper: Lights the lamp."),
    ],
)
def test_the_words_stay_and_the_syntax_goes(written: str, read: str) -> None:
    assert text(written) == read


@pytest.mark.parametrize(
    "written",
    [
        "!!! warning\n\n    The mill is closed.\n\n    Come on Tuesday.",
        "???+ note\n    The mill is closed.\n\n    Come on Tuesday.",
        ":::note\nThe mill is closed.\n\nCome on Tuesday.\n:::",
        "::: {.warning}\nThe mill is closed.\n\nCome on Tuesday.\n:::",
        "> [!TIP]\n> The mill is closed.\n>\n> Come on Tuesday.",
    ],
)
def test_a_notice_is_prose_and_its_kind_is_no_title(written: str) -> None:
    assert texts(written) == [("paragraph", "The mill is closed."), ("paragraph", "Come on Tuesday.")]


@pytest.mark.parametrize(
    "written",
    [
        '!!! warning "Mind the gap"\n    Trains do not stop.',
        ":::warning Mind the gap\nTrains do not stop.\n:::",
        ":::warning[Mind the gap]\nTrains do not stop.\n:::",
        '=== "Mind the gap"\n\n    Trains do not stop.',
    ],
)
def test_the_title_of_a_notice_or_tab_stays(written: str) -> None:
    assert texts(written) == [("paragraph", "Mind the gap"), ("paragraph", "Trains do not stop.")]


@pytest.mark.parametrize(
    "written",
    [
        "> [!warning] Mind the gap\n> Trains do not stop.",
        "> [!faq]- Mind [[Gap|the gap]]\n> Trains do not stop.",
        ">[!note|wide]+ Mind the gap\n>\n> Trains do not stop.",
    ],
)
def test_the_title_of_a_callout_is_a_paragraph(written: str) -> None:
    assert text(written) == "Mind the gap / Trains do not stop."


def test_a_callout_that_is_named_like_its_kind_has_no_title() -> None:
    assert text("> [!note] Note\n> Trains do not stop.") == "Trains do not stop."


COMPONENTS = """import {Tab, Tabs} from '../tabs.jsx'
import './mill.css'

export const meta = {
  title: 'The old mill',
  floors: 3,

  about: "Wool and flax"
}
export default function Layout({children}) {
  return <main className="a b">{children}</main>
}

# Mill {/* draft */}

<Tabs groupId="ware" onChange={(v) => { set({v}) }}>
    <Tab value="wool" label="Wool">
    Wool costs **5** euros.

      <Note type="tip">Come <Link to="/gate">early</Link>, it is <Price of="wool" />cold.</Note>
    </Tab>
  <Card title="Opening hours" href="/hours" text="From nine to five" className="wide card" />
</Tabs>

Use `<Tabs label="none">` and Map<String, Integer>.
"""


def test_the_text_of_components_and_of_their_properties_stays() -> None:
    parsed = parse(COMPONENTS.encode(), "mill.mdx")
    assert parsed.format == "markdown"
    assert [(block.kind, block.text) for block in parsed.blocks] == [
        ("list", "- title: The old mill\n- about: Wool and flax"),
        ("heading", "Mill"),
        ("paragraph", "Wool"),
        ("paragraph", "Wool costs 5 euros."),
        ("paragraph", "Come early, it is cold."),
        ("paragraph", "Opening hours: From nine to five"),
        ("paragraph", 'Use <Tabs label="none"> and Map<String, Integer>.'),
    ]


def test_indented_text_is_code_where_there_are_no_components() -> None:
    assert texts("Run:\n\n    mill --wool") == [("paragraph", "Run:"), ("code", "mill --wool")]


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```"])
def test_code_is_read_as_it_is(fence: str) -> None:
    inside = '{% page "x" %} [[a]] ==b== {.c}\n:::note\nimport a from "b"'
    assert texts(f"{fence}liquid\n{inside}\n{fence}\n\n[[Wool]] is sold.")[0] == ("code", inside)
    assert texts(f"{fence}\n{inside}")[0] == ("code", inside)


def test_entities_in_the_title_are_characters() -> None:
    assert parse(b"---\ntitle: Logging in &amp; Networks\n---\n\nUse gsa-wireless.", "login.md").title == "Logging in & Networks"


def test_a_file_of_front_matter_alone_says_so() -> None:
    with pytest.raises(UnreadableFile, match="no text below its front matter"):
        parse(b"---\ntitle: Buddy\nredirect_to: https://example.org\n---\n", "buddy.md")


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "piece",
    [
        "{%",
        "[[",
        "](",
        "`",
        "==a",
        "{{<",
        "{.a ",
        "{/*",
        "]({%",
        "<pre>",
        "import a ",
        " ",
        "$a",
        "$$a",
        "<A a={{",
        "<A a ",
        "%%a ",
        "\nexport const a = {\n",
        "[a:: ",
        " ^a",
        "a::",
    ],
)
def test_long_runs_of_unfinished_syntax_take_no_long_time(piece: str) -> None:
    began = time.process_time()
    parse((piece * (50_000 // len(piece)) + "\n\nWool.").encode(), "notes.md")
    assert time.process_time() - began < 10
