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
        ("The mill is ==closed== today, as a==b==c says.", "The mill is closed today, as a==b==c says."),
        ("[[_TOC_]]\n\nWool.", "Wool."),
        ("## Sizes {#sizes-(all) .wide}\n\nLearn more{.usa-button} of {wool}.\n{: .note }", "Sizes / Learn more of {wool}."),
        ("import Tabs from '@theme/Tabs';\n\nimport the wool from Ghent.\n\n{/* hidden */}", "import the wool from Ghent."),
        ("The tower[^1] was lit.\n\n[^1]: By its keeper.", "The tower was lit. / 1. By its keeper."),
        ("Keeper\n: Lights the lamp.", "Keeper / Lights the lamp."),
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
@pytest.mark.parametrize("piece", ["{%", "[[", "](", "`", "==a", "{{<", "{.a ", "{/*", "]({%", "<pre>", "import a "])
def test_long_runs_of_unfinished_syntax_take_no_long_time(piece: str) -> None:
    began = time.process_time()
    parse((piece * (50_000 // len(piece)) + "\n\nWool.").encode(), "notes.md")
    assert time.process_time() - began < 10
