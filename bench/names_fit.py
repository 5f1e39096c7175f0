"""Fits the weights by which names are found in questions and passages: layers/common/footnote/text/names.bin.

    python -m bench.names_fit CORPORA --data-sets FOLDER
    python -m bench.names_fit CORPORA --data-sets FOLDER --measure     precision and recall in passages

CORPORA holds corpora in which people marked names or proper nouns: `klue-ner-v1.1_dev.tsv` and `klue-dp-v1.1_dev.tsv` (KLUE, CC BY-SA
4.0), `ko_kaist-ud-*.conllu` (Universal Dependencies, CC BY-SA 4.0), `en_ewt-ud-*.iob2` (Universal NER, CC BY-SA 4.0),
`wikigold.conll.txt` (Wikigold, CC BY 4.0), `germeval14/dev.tsv` and `test.tsv` (GermEval 2014, CC BY 4.0), `wnut17train.conll`,
`emerging.dev.conll` and `emerging.test.annotated` (WNUT 2017, CC BY 4.0); to measure, `en_pud-ud-test.iob2` and `de_pud-ud-test.iob2`
(Universal NER), which nothing is fitted to. `plain/de`, `plain/en` and `plain/ko` hold chapters (`*.md`) of technical books, in which
hardly a noun is a name: The Rust Programming Language in German and English (MIT or Apache 2.0), React's documentation in Korean (CC BY
4.0). FOLDER holds
the test sets, whose questions are read without those that `questions/entities.jsonl` labels: in English, a capital within a sentence
marks a name, and in German, a word that looks like such a name of the same question in English does. From it come
`guardrails/presidio_synth_dataset_v2.json` (MIT), too. Last, names are put into made-up questions (`questions/name_frames.txt`).
"""

from __future__ import annotations

import argparse
import json
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np

from bench.entities import QUESTIONS, bare
from bench.figures import log_progress
from bench.name_corpora import UNKNOWN, UNSURE, Marked, Sentence, in_words, kind_of_tag, of_characters, of_columns, of_morphemes, of_spans
from bench.request_grammar import made_from, read_grammar
from footnote.text import names
from footnote.text.everyday_questions import EVERYDAY
from footnote.text.names import Part
from footnote.text.words import QUESTION_WORDS, STOP_WORDS

WEIGHTS = Path(names.__file__).with_suffix(".bin")
FRAMES = QUESTIONS.with_name("name_frames.txt")
MADE, OWN, ROUNDS, RATE, TWICE = 9000, 0.4, 5, 0.1, 2
"""Made-up questions in each language, the share of `name_frames.txt` in their names, rounds of the fit, the size of its steps (AdaGrad),
and how often the questions of the test sets are read."""
SYLLABLES = re.compile("[가-힣]+")
FENCED = re.compile(r"^(`{3,}).*?^\1`*$", re.DOTALL | re.MULTILINE)
MARKUP = re.compile(r"`[^`]*`|<[^>]*>|\]\([^)]*\)|\[[^\]]*\]:.*|https?://\S+|\{/?\*.*?\*/?\}")
HOLE = re.compile(r"(?<![^\W\d_])N(_[가-힣]+|s\b|'s)?(?![^\W\d_])")
NATIONAL = re.compile(r"(?:[a-z]an|ish|ese|[a-z]ch|Greek|Swiss|Welsh)$")
CLOSEST, BEGINS = 0.78, 0.7
"""How alike a name is in two languages, and one that begins alike."""
COMMON = frozenset("프로젝트 사무소 합병 새 버전 파일럿 이전 작업".split())
"""Words of the made-up projects' names that name nothing."""
Example = tuple[list[np.ndarray], int]
"""The slots of each candidate of a word, and the place of the right one from 1; 0 = it is part of no name."""


def by_capitals(question: str) -> Sentence:
    """An English question: its capitals mark names, but at its beginning and in adjectives of nations."""
    words = [found[0] for found in names.WORD.finditer(question)]
    parts: list[Part | str | None] = []
    for place, word in enumerate(words):
        follows = words[place + 1][:1] if place + 1 < len(words) else ""
        if not any(char.isupper() for char in word) or word in ("I", "I'm"):
            parts.append(None)
        elif not place or words[place - 1] in '."“?:':
            known = word.casefold() in QUESTION_WORDS["en"] | STOP_WORDS["en"] or word.endswith("ly")
            parts.append(None if known else UNKNOWN)
        elif NATIONAL.search(word) and follows.islower():
            parts.append(None)
        else:
            parts.append(Part(word[:-2], word[-2:]) if word[-2:] in ("'s", "’s") else Part(word, ""))
    return words, parts


def by_translation(question: str, translated: str) -> Sentence:
    """A German question: words like the names of the same question in English are names."""
    marked = list(zip(*by_capitals(translated), strict=True))
    surely = [word.casefold() for word, part in marked if isinstance(part, Part)]
    maybe = [word.casefold() for word, part in marked if part == UNKNOWN]
    words = [found[0] for found in names.WORD.finditer(question)]
    parts: list[Part | str | None] = []
    met: set[str] = set()
    for word in words:
        low = word.casefold()
        like = next((name for name in (*surely, *maybe) if _alike(low, name)), None) if any(map(str.isupper, word)) else None
        met.add(like or "")
        parts.append(None if like is None else Part(word[:-1], "s") if low == f"{like}s" else Part(word, ""))
    if set(surely) - met:  # a name that is written otherwise in German
        capital = [any(map(str.isupper, word)) and place > 0 for place, word in enumerate(words)]
        parts = [UNKNOWN if part is None and marks else part for part, marks in zip(parts, capital, strict=True)]
    return words, parts


def _alike(word: str, name: str) -> bool:
    close = SequenceMatcher(None, word, name).ratio()
    return (
        word in (name, f"{name}s")
        or (len(name) > 5 and close > CLOSEST)
        or (min(len(word), len(name)) > 4 and word[:4] == name[:4] and close > 0.7)
    )


def framed(frames: Sequence[str], own: Sequence[str], others: Sequence[str], random: Random) -> Iterator[Sentence]:
    """Made-up questions with names in them."""
    for _ in range(MADE):
        text, names_at, done = "", [], 0
        frame = random.choice(frames)
        for hole in HOLE.finditer(frame):
            name, ending = random.choice(own if random.random() < OWN else others), hole[1] or ""
            text += frame[done : hole.start()]
            names_at.append((len(text), len(text) + len(name)))
            text += name + (_particle(name, ending[1:]) if ending.startswith("_") else ending)
            done = hole.end()
        text += frame[done:]
        found = list(names.WORD.finditer(text.rstrip("?.") if random.random() < 0.2 else text))
        parts: list[Part | str | None] = []
        for each in found:
            end = next((end for start, end in names_at if each.start() < end and each.end() > start), None)
            size = 0 if end is None else min(end - each.start(), len(each[0]))
            parts.append(Part(each[0][:size], each[0][size:]) if size else None)
        yield [each[0] for each in found], parts


def _particle(name: str, particle: str) -> str:
    """The particle in the form that follows the name's last syllable."""
    last = ord(name[-1]) - ord("가")
    if not 0 <= last < 11172:
        return particle
    closed = last % 28
    for pair in ("과와", "을를", "은는", "이가"):
        if particle[0] in pair:
            return pair[0 if closed else 1] + particle[1:]
    return f"으{particle}" if particle[0] == "로" and closed and closed != 8 else particle


def names_in(sentences: Sequence[Sentence]) -> list[str]:
    """The names of labelled sentences that have up to three words."""
    found = []
    for words, parts in sentences:
        run: list[str] = []
        for word, part in [*zip(words, parts, strict=True), ("", None)]:
            if isinstance(part, Part):
                run.append(word if not part.ending else part.stem)
            elif run:
                found.append(" ".join(run))
                run = []
    return [name for name in found if 2 <= len(name) <= 30 and name.count(" ") < 3 and (name[0].isupper() or "가" <= name[0] <= "힣")]


def examples(lang: str, sentences: Sequence[Sentence]) -> Iterator[Example]:
    """Every word that may be part of a name, with its candidates. A German name that is known without its last s has a genitive's."""
    known = {part.stem for _, parts in sentences for part in parts if isinstance(part, Part)} if lang == "de" else set()
    for words, parts in sentences:
        for place, (word, part) in enumerate(zip(words, parts, strict=True)):
            ways = list(names.candidates(word, lang))
            if part == UNKNOWN or not ways:
                continue
            right = 0
            if isinstance(part, Part):
                size = len(word) - 1 if word.endswith("s") and word[:-1] in known else len(part.stem)
                right = 1 + min(range(len(ways)), key=lambda way: abs(len(ways[way].stem) - size))
            last = parts[place - 1] if place else None
            before = last if isinstance(last, Part) and any(names.candidates(words[place - 1], lang)) else None
            yield [np.array(names.features(words, place, way, before, lang)) for way in ways], right


def fit(rows: list[Example]) -> np.ndarray:
    """The weights of a log-linear choice among the candidates of a word, averaged over all rounds but the first."""
    random, weights, squares, total, count = Random(3), np.zeros(names.SLOTS), np.full(names.SLOTS, 1e-2), np.zeros(names.SLOTS), 0
    for round_ in range(ROUNDS):
        random.shuffle(rows)
        for number, (ways, right) in enumerate(rows):
            score = np.array([0.0, *(weights[slots].sum() for slots in ways)])
            chance = np.exp(score - score.max())
            chance /= chance.sum()
            for way, slots in enumerate(ways, 1):
                off = chance[way] - (way == right)
                if abs(off) > 1e-3:
                    squares[slots] += off * off
                    weights[slots] -= RATE * off / np.sqrt(squares[slots])
            if round_ and number % 2000 == 0:
                total, count = total + weights, count + 1
        log_progress(f"round {round_ + 1} of {ROUNDS}")
    return total / count


def sentences(corpora: Path, only_half: bool) -> dict[str, list[Marked]]:
    """Language → sentences with names of known kinds; `only_half`: without those of `held_out`."""
    tweets = ("wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated")
    english = [row for name in tweets for row in of_columns(corpora / name, 0, 1)]
    english += [row for name in ("dev", "test") for row in of_columns(corpora / f"en_ewt-ud-{name}.iob2", 1, 2)]
    german = [row for name in ("dev", "test") for row in of_columns(corpora / "germeval14" / f"{name}.tsv", 1, 2)]
    (wiki, more_wiki), (korean, more_korean) = _halves(corpora)
    if only_half:
        return {"en": english + wiki, "de": german, "ko": korean}
    return {"en": english + wiki + more_wiki, "de": german, "ko": korean + more_korean}


def held_out(corpora: Path) -> Iterator[tuple[str, str, list[Marked]]]:
    """(corpus, language, sentences) of what is not fitted to with `--measure`."""
    wiki, korean = _halves(corpora)
    yield "Wikigold, second half", "en", wiki[1]
    for lang in ("en", "de"):
        yield "PUD", lang, list(of_columns(corpora / f"{lang}_pud-ud-test.iob2", 1, 2))
    yield "KLUE-NER, second half", "ko", korean[1]


def _halves(corpora: Path) -> Iterator[tuple[list[Marked], list[Marked]]]:
    for rows in (list(of_columns(corpora / "wikigold.conll.txt", 0, 1, " ")), list(of_characters(corpora / "klue-ner-v1.1_dev.tsv"))):
        yield rows[: len(rows) // 2], rows[len(rows) // 2 :]


def gather(corpora: Path, data_sets: Path, only_half: bool = False) -> Iterator[Example]:
    """All examples."""
    labelled = {json.loads(line)["from"] for line in QUESTIONS.read_text("utf-8").splitlines()}
    asked: dict[str, dict[str, str]] = {}
    for name in ("squad2", "mtrag_un", "xquad_en", "xquad_de"):
        rows = map(json.loads, (data_sets / name / "queries.jsonl").read_text("utf-8").splitlines())
        asked[name] = {row["_id"]: row["text"] for row in rows if f"{name}/{row['_id']}" not in labelled}
    synthetic = [in_words(row) for row in of_spans(data_sets / "guardrails" / "presidio_synth_dataset_v2.json")]
    marked = {lang: [in_words(row) for row in rows] for lang, rows in sentences(corpora, only_half).items()}
    marked["ko"] += of_morphemes(corpora / "klue-dp-v1.1_dev.tsv", (1, 2, 3), " ", "NNP")
    marked["ko"] += [row for name in ("dev", "test") for row in of_morphemes(corpora / f"ko_kaist-ud-{name}.conllu", (1, 2, 4), "+", "nq")]
    german, korean = names_in(marked["de"]), names_in(marked["ko"])
    english = names_in(synthetic) + [name for name in german if name.isascii()][:4000]
    marked["en"] += synthetic
    for lang, others in (("en", english), ("de", german), ("ko", korean)):
        frames, own = read_frames(lang)
        yield from examples(lang, marked[lang])
        yield from examples(lang, list(framed(frames, own, others, Random(1))))
    for _ in range(TWICE):
        questions = [text for name in ("squad2", "mtrag_un") for text in asked[name].values()]
        yield from examples("en", [by_capitals(text) for text in questions if sum(map(str.isupper, text)) * 3 <= len(text)])
        both = [(text, asked["xquad_en"][name]) for name, text in asked["xquad_de"].items() if name in asked["xquad_en"]]
        yield from examples("de", [by_translation(*pair) for pair in both])
    yield from examples("ko", list(nameless()))
    books = list(of_books(corpora / "plain"))
    for lang in ("de", "ko"):
        yield from examples(lang, [sentence for told, sentence in books if told == lang])


def nameless() -> Iterator[Sentence]:
    """Korean questions and requests of the other benchmarks, which hardly name anything but in Latin letters."""
    rows = [
        json.loads(line)
        for name in ("intents", "foreign", "natural")
        for line in QUESTIONS.with_name(f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    made = [text for lang, _, text in made_from(read_grammar(), 4) if lang == "ko"]
    named = re.compile(
        "[A-Za-z]|" + "|".join(word for name in read_grammar().names["ko.project"] for word in name.split() if word not in COMMON)
    )
    for text in [*(row["text"] for row in rows if row["lang"] == "ko"), *EVERYDAY["ko"], *made]:
        words = [found[0] for found in names.WORD.finditer(text)]
        yield words, [UNKNOWN if named.search(word) else None for word in words]


def of_books(books: Path) -> Iterator[tuple[str, Sentence]]:
    """(language, words) of the paragraphs of technical books. Words in Hangul are no names there, since those are in Latin letters; nor
    are German words that the same chapter in English has not. Of other words nothing is known."""
    for path in sorted((books / "ko").glob("*.md")):
        for words in _paragraphs(path):
            yield "ko", (words, [None if SYLLABLES.fullmatch(word) else UNKNOWN for word in words])
    for path in sorted((books / "de").glob("*.md")):
        original = (books / "en" / path.name).read_text("utf-8").casefold()
        for words in _paragraphs(path):
            yield "de", (words, [UNKNOWN if word.casefold().rstrip("s") in original else None for word in words])


def _paragraphs(path: Path) -> Iterator[list[str]]:
    """The words of the paragraphs of a Markdown file, without code, tags and addresses."""
    text = MARKUP.sub(" ", FENCED.sub("\n\n", path.read_text("utf-8")))
    for paragraph in re.split(r"\n\s*\n", text):
        yield [found[0] for found in names.WORD.finditer(paragraph)]


def read_frames(lang: str) -> tuple[list[str], list[str]]:
    """(frames, names) of a language."""
    parts = dict(re.findall(r"^\[(\w+ \w+)\]\n(.*?)(?=\n\n|\Z)", FRAMES.read_text("utf-8"), re.DOTALL | re.MULTILINE))
    return parts[f"{lang} frames"].split("\n"), parts[f"{lang} names"].strip().split(" | ")


def compare_names(marked: Sequence[Marked], lang: str) -> tuple[int, int, int]:
    """Of persons, organisations and places: how many names are found, found where there is none, and missed."""
    right = wrong = missed = 0
    for text, spans in marked:
        found = Counter(bare(name) for name in names.find_names(text, lang))
        there, maybe = Counter[str](), Counter[str]()
        for start, end, tag in spans:
            kind = kind_of_tag(tag)
            if kind or tag in UNSURE:
                (there if kind in ("person", "organisation", "place") else maybe)[bare(text[start:end])] += 1
        right += (found & there).total()
        wrong += (found - there - maybe).total()
        missed += (there - found).total()
    return right, wrong, missed


def packed(weights: np.ndarray) -> bytes:
    """The weights as `names` reads them: the size of a step, then a byte for each."""
    step = float(np.quantile(np.abs(weights), 0.99999)) / 127
    return struct.pack("<f", step) + np.clip(np.rint(weights / step), -127, 127).astype("i1").tobytes()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.names_fit", description="Fits the weights by which names are found.")
    parser.add_argument("corpora", type=Path, help="folder of corpora with marked names")
    parser.add_argument("--data-sets", type=Path, required=True, metavar="FOLDER", help="folder of test sets")
    parser.add_argument("--measure", action="store_true", help="fit without half of two corpora, and print the figures there and on others")
    options = parser.parse_args(arguments)
    rows = list(gather(options.corpora, options.data_sets, options.measure))
    log_progress(f"{len(rows)} words")
    made = packed(fit(rows))
    if not options.measure:
        WEIGHTS.write_bytes(made)
        return 0
    with patch.object(names, "_weights", lambda: names.unpack(made)):
        for corpus, lang, marked in held_out(options.corpora):
            right, wrong, missed = compare_names(marked, lang)
            print(f"{lang} {corpus}: precision {right / (right + wrong):.3f}, recall {right / (right + missed):.3f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
