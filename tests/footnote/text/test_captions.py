"""Captions, paths and addresses, and sentences that only look alike, in English, German and Korean."""

from __future__ import annotations

import pytest

from footnote.text.captions import is_caption, names_place

CAPTIONS = """
Figure 3: The lamp at night.
Fig. 3. The lamp at night.
FIGURE 2-1 – Plan of the tower
Figure 4 Plan of the tower
Table 2. Tolls by weight
Photo: Ada Berg
Image credits: Harbour museum
Map 7 | The river
Abbildung 3: Die Lampe bei Nacht.
Abb. 12 – Grundriss des Turms
Tabelle 1: Gebühren nach Gewicht
Foto: Ada Berg
Bild 4 Der Hafen
Schaubild 2: Ablauf des Antrags
그림 3. 등대의 구조
<그림 3> 등대의 구조
[표 2] 통행료
표 2-1 통행료
사진: 김민수
"""
PATHS = """
The settings are in /etc/ferry/ferry.conf and are read at the start.
/var/log/ferry
Start it with ./run.sh from the folder.
Copy the file to C:\\Users\\ann\\notes.
See docs/guides/start.md for the first steps.
The module lives in src/core/turn.py today.
Send a request to `/v2/rag/query` first.
Die Datei liegt unter ~/notizen/plan.txt bereit.
Der Ordner \\\\server\\akten ist für alle lesbar.
Die Vorlage steht in vorlagen/antrag.docx zum Ausfüllen.
설정은 /etc/ferry.conf 파일에 있다.
파일은 data/2024/plan.xlsx 에 있다.
"""
ADDRESSES = """
Read more at https://example.org/ferry.
See www.example.org for the timetable.
Write to harbour@example.org before May.
The server answers at 10.0.0.1 only.
It is at example.org/ferry today.
Harbour Office, 12 Quay Street, Springfield
The office is at 221 Old Baker Street in London.
P.O. Box 12, Springfield
Das Amt liegt in der Hafenstraße 5 am Ufer.
Hafenamt, 20457 Hamburg
Schreiben Sie an hafen@example.de oder rufen Sie an.
Die Auskunft steht unter https://hafen.example.de bereit.
서울특별시 강남구 테헤란로 123
문의는 hafen@example.kr 로 한다.
자세한 내용은 https://example.kr 에 있다.
"""
SENTENCES = """
Figure 3 shows the lamp at night.
Table 2 lists the tolls by weight.
The figure of the lamp is old.
Photos of the lamp hang in the hall.
Maps were drawn by hand.
A keeper and/or a helper lights the lamp at 20/21 o'clock.
The ferry makes 20 km/h and sails 24/7 in 2023/24.
Input/output errors are rare, and his/her name is noted.
Version 2.0.1 was built in 1894, with 5 steps.
The toll is 12 crowns, 5 of which go to the town.
In 1894 Ada Berg built the tower in Hamburg.
Employees may carry over 12 days of leave.
The 3 Oaks Inn is open.
Abbildung 3 zeigt die Lampe bei Nacht.
Tabelle 1 nennt die Gebühren nach Gewicht.
Bilder der Lampe hängen im Flur.
Die Fähre fährt mit 20 km/h und kostet 4 Euro.
Mitarbeiter/innen und Helfer/innen tragen sich ein.
Der Platz 3 ist frei, und der Weg dorthin ist kurz.
Die Straße wurde 1894 gebaut.
Im Jahr 1894 wurden 12000 Lampen verkauft.
그림 3은 등대의 구조를 보여 준다.
표 2에 통행료가 나와 있다.
사진은 복도에 걸려 있다.
이 도시는 1894년에 세워졌다.
연차휴가는 15일이며 3월까지 쓸 수 있다.
배는 시속 20km로 가고 요금은 4유로이다.
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("text", lines(CAPTIONS))
def test_a_caption_is_recognised(text: str) -> None:
    assert is_caption(text)


@pytest.mark.parametrize("text", [*lines(PATHS), *lines(ADDRESSES)])
def test_a_path_or_an_address_is_recognised(text: str) -> None:
    assert names_place(text)


@pytest.mark.parametrize("text", lines(SENTENCES))
def test_a_sentence_that_looks_alike_is_neither(text: str) -> None:
    assert not is_caption(text)
    assert not names_place(text)


def test_long_texts_take_linear_time() -> None:
    for text in ("a/" * 20_000, "a." * 20_000, "1-" * 20_000, "Aa " * 20_000, "figure " + "1." * 20_000, "가" * 40_000):
        assert is_caption(text) in (True, False)
        assert names_place(text) in (True, False)
