"""Calendars: each event stands under its summary, with its time, place and people."""

from __future__ import annotations

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block, Parsed


def calendar(*events: str, head: str = "") -> bytes:
    body = "".join(f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n" for event in events)
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{head}{body}END:VCALENDAR\n".replace("\n", "\r\n").encode()


def read(data: bytes) -> Parsed:
    return parse(data, "harbour.ics")


def facts(event: str, head: str = "") -> list[str]:
    """The lines below an event's summary, without its name."""
    first, *others = (line.removeprefix("- ") for line in read(calendar(event, head=head)).blocks[1].text.split("\n"))
    assert first == "Event: Regatta"
    return others


def test_an_event_has_a_heading_its_facts_and_its_description() -> None:
    event = (
        "UID:1@harbour\nDTSTAMP:20260101T000000Z\nSUMMARY:Regatta\\, second day\nDTSTART;TZID=Europe/Oslo:20260704T093000\n"
        'DTEND;TZID=Europe/Oslo:20260704T170000\nLOCATION:Pier 4\\; the\n  north end\nORGANIZER;CN="Berg, Ida":mailto:ida@example.org\n'
        "ATTENDEE;CN=Ole:mailto:ole@example.org\nATTENDEE;PARTSTAT=DECLINED:mailto:uma@example.org\n"
        "DESCRIPTION:Bring a vest.\\nBoats start in pairs.\\n\\nNo dogs.\nBEGIN:VALARM\nDESCRIPTION:Reminder\nEND:VALARM"
    )
    parsed = read(calendar(event, head="X-WR-CALNAME:Harbour dates\n"))
    assert parsed.blocks == (
        Block("heading", "Regatta, second day", 1),
        Block(
            "list",
            "- Event: Regatta, second day\n- When: 2026-07-04 09:30–17:00 (Europe/Oslo)\n"
            "- Where: Pier 4; the north end\n- Organizer: Berg, Ida\n"
            "- Attendees: Ole, uma@example.org (declined)",
        ),
        Block("paragraph", "Bring a vest.\nBoats start in pairs."),
        Block("paragraph", "No dogs."),
    )
    assert (parsed.title, parsed.format, parsed.reason) == ("Harbour dates", "calendar", None)


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ("DTSTART;VALUE=DATE:20260704\nDTEND;VALUE=DATE:20260705", "2026-07-04"),
        ("DTSTART;VALUE=DATE:20260704\nDTEND;VALUE=DATE:20260707", "2026-07-04 to 2026-07-06"),
        ("DTSTART:20260704T093000\nDURATION:PT1H30M", "2026-07-04 09:30–11:00"),
        ("DTSTART:20260704T230000Z\nDTEND:20260705T013000Z", "2026-07-04 23:00 to 2026-07-05 01:30 (UTC)"),
        (
            "DTSTART;TZID=Europe/Oslo:20260704T120000\nDTEND;TZID=Asia/Seoul:20260705T063000",
            "2026-07-04 12:00 (Europe/Oslo) to 2026-07-05 06:30 (Asia/Seoul)",
        ),
        ("DTSTART:20260704T093000\nDTEND:20260704T093000", "2026-07-04 09:30"),
        ("DTSTART:20260799T093000", "20260799T093000"),
        ("DTSTART:20260704T093000\nDURATION:P9999W", "2026-07-04 09:30 to 2218-02-21 09:30"),
    ],
)
def test_times_are_written_with_their_zone_and_the_last_day(times: str, shown: str) -> None:
    assert facts(f"SUMMARY:Regatta\n{times}") == [f"When: {shown}"]


def test_times_in_utc_are_shown_in_the_zone_of_the_calendar() -> None:
    event = "SUMMARY:Regatta\nDTSTART:20260704T073000Z\nDTEND:20260704T150000Z\nEXDATE:20260711T073000Z"
    assert facts(event, "X-WR-TIMEZONE:Europe/Oslo\n") == [
        "When: 2026-07-04 09:30–17:00 (Europe/Oslo)",
        "Except: 2026-07-11 09:30 (Europe/Oslo)",
    ]
    for unknown in ("Middle/Nowhere", "../../etc/passwd", "\\n"):
        assert facts(event, f"X-WR-TIMEZONE:{unknown}\n")[0] == "When: 2026-07-04 07:30–15:00 (UTC)"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=WEEKLY;BYDAY=TU", "every week on Tuesday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;UNTIL=20261231T000000Z", "every 2 weeks on Monday, Wednesday and Friday until 2026-12-31"),
        ("FREQ=MONTHLY;BYDAY=1SU,-1SU", "every month on first Sunday and last Sunday"),
        ("FREQ=MONTHLY;BYMONTHDAY=15;COUNT=6", "every month on day 15 6 times"),
        ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", "every year on day 24 in December"),
        ("FREQ=DAILY;BYSETPOS=2;WKST=MO", "every day (BYSETPOS=2)"),
        ("FREQ=SECONDLY", "FREQ=SECONDLY"),
        ("RUBBISH", "RUBBISH"),
    ],
)
def test_a_rule_by_which_an_event_repeats_is_put_in_words(rule: str, words: str) -> None:
    assert facts(f"SUMMARY:Regatta\nRRULE:{rule}") == [f"Repeats: {words}"]


def test_what_is_cancelled_or_moved_says_so() -> None:
    assert facts("SUMMARY:Regatta\nSTATUS:CANCELLED\nDTSTART:20260704T093000") == ["Status: cancelled", "When: 2026-07-04 09:30"]
    assert facts("SUMMARY:Regatta\nSTATUS:CONFIRMED\nRECURRENCE-ID:20260704T093000\nDTSTART:20260705T100000") == [
        "When: 2026-07-05 10:00",
        "Instead of: 2026-07-04 09:30",
    ]


def test_tasks_notes_and_old_calendars_are_read_too() -> None:
    task = b"BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Paint the buoy\nDUE:20260801\nSTATUS:NEEDS-ACTION\nEND:VTODO\nEND:VCALENDAR"
    assert [block.text for block in read(task).blocks] == [
        "Paint the buoy",
        "- Task: Paint the buoy\n- Status: needs action\n- Due: 2026-08-01",
    ]
    old = (
        b"BEGIN:VCALENDAR\r\nVERSION:1.0\r\nBEGIN:VEVENT\r\nSUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:K=C3=BCste =\r\n"
        b"putzen\r\nDTSTART:20260704\r\nEND:VEVENT\r\nEND:VCALENDAR"
    )
    assert [block.text for block in parse(old, "alt.vcs").blocks] == ["Küste putzen", "- Event: Küste putzen\n- When: 2026-07-04"]


def test_letters_that_a_line_end_divides_and_other_encodings_are_whole() -> None:
    folded = calendar("SUMMARY:Größe").replace("ö".encode(), "ö".encode()[:1] + b"\r\n " + "ö".encode()[1:])
    assert read(folded).blocks[0].text == "Größe"
    assert read(calendar("SUMMARY:Größe").decode().encode("utf-16")).blocks[0].text == "Größe"


def test_a_calendar_that_is_cut_off_keeps_what_it_has() -> None:
    assert read(calendar("SUMMARY:Regatta\nLOCATION:Pier 4")[:75]).blocks[0].text == "Regatta"


def test_a_file_without_events_or_without_a_calendar_says_so() -> None:
    with pytest.raises(UnreadableFile, match="This calendar has no events"):
        read(calendar())
    assert read(b"Dates are on the board.").blocks == (Block("paragraph", "Dates are on the board."),)


def texts(event: str) -> list[str]:
    """What stands below an event's summary and its facts."""
    return [block.text for block in read(calendar(f"SUMMARY:Regatta\n{event}")).blocks[2:]]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("X-GOOGLE-CONFERENCE:https://meet.example/kqp", "Google conference: https://meet.example/kqp"),
        ("CONFERENCE;VALUE=URI;FEATURE=PHONE;LABEL=Dial in:tel:+49-30-555", "Conference (Dial in): tel:+49-30-555"),
        ("ATTACH;FILENAME=Plan.pdf:https://drive.example/77", "Attached (Plan.pdf): https://drive.example/77"),
        ("CONTACT:Ms Tamm\\, ext. 318", "Contact: Ms Tamm, ext. 318"),
        ("RESOURCES:Boat 4,Vests", "Resources: Boat 4, Vests"),
        ("PRIORITY:1", "Priority: high (1 of 9)"),
        ("PRIORITY:9", "Priority: low (9 of 9)"),
        ("CLASS:CONFIDENTIAL", "Visibility: confidential"),
        ("GEO:59.9;10.7", "Coordinates: 59.9, 10.7"),
        ("PERCENT-COMPLETE:40", "Done: 40 %"),
    ],
)
def test_what_else_is_known_of_an_event_is_told(lines: str, expected: str) -> None:
    assert facts(f"SUMMARY:Regatta\n{lines}") == [expected]


def test_what_programs_write_into_every_event_is_left_out() -> None:
    event = "SUMMARY:Regatta\nCLASS:PUBLIC\nPRIORITY:5\nTRANSP:OPAQUE\nX-MICROSOFT-CDO-BUSYSTATUS:BUSY\nX-ID:a b\nLOCATION:Pier 4"
    assert facts(event) == ["Where: Pier 4"]


@pytest.mark.parametrize(
    ("alarm", "expected"),
    [
        ("TRIGGER:-PT30M\nDESCRIPTION:Pack the vests", "30 minutes before the start: Pack the vests"),
        ("TRIGGER:-P0DT1H0M0S\nDESCRIPTION:REGATTA", "1 hour before the start"),
        ("TRIGGER;RELATED=END:PT5M\nDESCRIPTION:Reminder", "5 minutes after the end"),
        ("TRIGGER:PT0S", "at the start"),
        ("TRIGGER;VALUE=DATE-TIME:20260703T180000Z", "2026-07-03 18:00 (UTC)"),
    ],
)
def test_a_reminder_says_when_it_comes_and_what_it_says(alarm: str, expected: str) -> None:
    assert facts(f"SUMMARY:Regatta\nBEGIN:VALARM\nACTION:DISPLAY\n{alarm}\nEND:VALARM") == [f"Reminder: {expected}"]


def test_a_description_in_html_is_read_as_a_page_and_its_links_are_told() -> None:
    event = "SUMMARY:Regatta\nLOCATION:Pier 4\nX-ALT-DESC;FMTTYPE=text/html:" + (
        "<p>Off\\, again on <b>May 2</b>.<br><a href='https://t.example/j'>Join</a></p>"
    )
    assert facts(event) == ["Where: Pier 4", "Link “Join”: https://t.example/j"]
    assert texts("LOCATION:Pier 4\nDESCRIPTION:<ul><li>Vest</li><li>Rope</li></ul>") == ["- Vest\n- Rope"]


def test_the_description_in_html_adds_only_what_the_plain_one_lacks() -> None:
    event = "LOCATION:Pier 4\nDESCRIPTION:Bring a vest.\nX-ALT-DESC;FMTTYPE=text/html:<p>Bring a <b>vest</b>.</p><p>No dogs.</p>"
    assert texts(event) == ["Bring a vest.", "No dogs."]


def test_a_file_in_an_event_is_read_and_what_is_not_read_is_said() -> None:
    note, image = "VGlkZSBhdCAzLg==", "iVBORw0KGgo="
    event = f"LOCATION:Pier 4\nATTACH;FILENAME=tide.txt;ENCODING=BASE64;VALUE=BINARY:{note}\n"
    parsed = read(calendar(f"SUMMARY:Regatta\n{event}ATTACH;FILENAME=map.png;ENCODING=BASE64;VALUE=BINARY:{image}"))
    assert [block.text for block in parsed.blocks[2:]] == ["Attachments: tide.txt, map.png", "tide.txt", "Tide at 3."]
    assert str(parsed.reason).startswith("The attachment map.png was not read.")


def test_free_and_busy_times_are_told() -> None:
    busy = (
        "BEGIN:VFREEBUSY\nORGANIZER:mailto:ida@example.org\nDTSTART:20261201T000000Z\nDTEND:20261208T000000Z\n"
        "FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20261203T080000Z/20261203T120000Z,20261204T080000Z/PT30M\nEND:VFREEBUSY\n"
    )
    assert read(f"BEGIN:VCALENDAR\n{busy}END:VCALENDAR\n".encode()).blocks == (
        Block("heading", "Free and busy times", 1),
        Block(
            "list",
            "- When: 2026-12-01 00:00 to 2026-12-08 00:00 (UTC)\n"
            "- Busy unavailable: 2026-12-03 08:00–12:00 (UTC), 2026-12-04 08:00–08:30 (UTC)\n- Organizer: ida@example.org",
        ),
    )


def test_hours_in_which_somebody_is_available_are_told() -> None:
    hours = "BEGIN:AVAILABLE\nSUMMARY:Office hours\nDTSTART:20261201T090000\nDTEND:20261201T170000\nRRULE:FREQ=DAILY\nEND:AVAILABLE\n"
    data = f"BEGIN:VCALENDAR\nBEGIN:VAVAILABILITY\nBUSYTYPE:BUSY-UNAVAILABLE\n{hours}END:VAVAILABILITY\nEND:VCALENDAR\n"
    assert [block.text for block in read(data.encode()).blocks] == [
        "Availability",
        "- Otherwise: busy unavailable",
        "Office hours",
        "- Available: Office hours\n- When: 2026-12-01 09:00–17:00\n- Repeats: every day",
    ]


def test_the_description_of_a_calendar_stands_before_its_events() -> None:
    assert read(calendar("SUMMARY:Regatta", head="X-WR-CALDESC:For members.\n")).blocks[0] == Block("paragraph", "For members.")
