"""Questions that refer back to the conversation, and questions that stand alone, in three languages."""

from __future__ import annotations

import pytest

from footnote.text.references import is_greeting, needs_rewriting, salient_words

REFERRING = {
    "en": """
        Who is he?
        When was it built?
        How much does it cost?
        Is it expensive?
        What are its opening hours?
        Why did they close the bridge to lorries, and who told them to?
        Does this apply to part-time staff?
        What does that mean?
        Can you explain that?
        How does that work in practice?
        And in Germany?
        What about bicycles?
        How about the second floor?
        Which one is cheaper?
        How do I get one?
        Who lives there now?
        Are those still valid?
        What else?
        Tell me more.
        Why?
        Why not?
        Fees?
        What is the difference?
        Is the document still in force?
        Who signed it?
        Are there any exceptions to this rule?
        I meant the blue ferry.
        Can I use the voucher instead?
        But is it allowed?
        What are the requirements?
        Was her brother an engineer too?
        What happened after that?
        Does it have to be renewed?
        Give me an example.
        So what is the deadline?
        Which of them has a garden?
    """,
    "de": """
        Wer ist er?
        Wann wurde sie gegründet?
        Wie viel kostet es?
        Wie lange dauert das?
        Was bedeutet das genau?
        Gilt das auch für Teilzeitkräfte?
        Was steht in diesem Abschnitt?
        Gibt es dazu eine Frist?
        Was weißt du darüber?
        Welche Kosten entstehen dadurch?
        Wer hat dagegen Einspruch erhoben?
        Ist dieses Formular noch gültig?
        Was steht im dem Dokument?
        Wer hat das Dokument unterschrieben?
        Und in Österreich?
        Und die Gebühren?
        Was ist mit Fahrrädern?
        Wie sieht es mit Hunden aus?
        Welche Farbe hat ihr Dach?
        Wo wurde sein Bruder geboren?
        Wer wohnt dort?
        Warum?
        Warum nicht?
        Kosten?
        Was ist der Unterschied?
        Kannst du mir mehr darüber erzählen?
        Was passiert danach?
        Wer ist dafür zuständig?
        Welche sind günstiger als die?
        Wie hoch sind die Zinsen bei solchen Verträgen?
        Ich meinte die blaue Fähre.
        Und wann?
        Hast du ein Beispiel?
        Was noch?
        Wie alt ist ihre Schwester?
        Wie hoch ist der Preis seiner Wohnung?
        Gibt es Ausnahmen davon?
        Kann ich das rückgängig machen?
        wie schalte ich den ein?
        Wie schalte ich die wieder aus?
        wie setze ich den zurück?
        kann man die auch löschen?
        kann ich den noch umtauschen?
        Darf man die mitnehmen?
        Kann man die ändern lassen?
        Wo kann ich die nachträglich ändern?
    """,
    "ko": """
        그는 누구인가요?
        그 사람은 언제 태어났나요?
        그것은 얼마인가요?
        그건 왜 그런가요?
        이것은 언제 만들어졌나요?
        그녀의 직업은 무엇인가요?
        거기에는 어떻게 가나요?
        그곳의 입장료는 얼마인가요?
        그 문서는 누가 작성했나요?
        이 계약은 언제 끝나나요?
        그때 시장은 누구였나요?
        그럼 독일은?
        그럼 수수료는 얼마인가요?
        그러면 자전거는요?
        독일은요?
        가격은?
        왜요?
        언제요?
        더 자세히 알려 주세요.
        예를 들어 주세요.
        그 외에 필요한 서류가 있나요?
        그들은 어디에 살았나요?
        그런 경우에는 어떻게 하나요?
        이런 제도는 누가 만들었나요?
        둘 중 어느 것이 더 싼가요?
        둘의 차이는 무엇인가요?
        해당 조항은 언제부터 적용되나요?
        누가 만들었어요?
        얼마예요?
        그게 무슨 뜻이에요?
        전자와 후자의 차이는 무엇인가요?
        나머지는 어떻게 처리하나요?
        위 조건을 모두 충족해야 하나요?
        그 이유는 무엇인가요?
        또 어떤 혜택이 있나요?
        몇 주까지 가능해?
        몇 시에 해?
        누가 신청할 수 있나요?
        비용 얼마나 지원돼?
        며칠까지 쓸 수 있어요?
        얼마나 오래 걸려?
        언제까지 신청해야 돼?
        어디에 제출해야 하나요?
        신청은 언제까지 하나요?
        서류는 뭐가 필요해?
        취소할 때 수수료가 있나요?
        왜 안 되나요?
    """,
}

STANDING = {
    "en": """
        Is it true that the bridge was built in 1894?
        How is it possible to renew a passport online?
        Is it legal to park on the pavement in Hamburg?
        Does it rain often in the Scottish Highlands?
        How long does it take to build a wooden ferry?
        How much does it cost to insure a small boat?
        Why is it that ferries stop running at noon?
        Is there a museum in the old harbour?
        There are how many lighthouses on the island?
        Which documents say that the ferry is late?
        What is the name of the ship that sank in 1912?
        Who invented the printing press?
        How many holidays do part-time employees get?
        How does a company pay its employees?
        Did Ada Lovelace publish her notes herself?
        What is a mortgage and how does it work?
        If a dog is sick, should it eat grass?
        Can people who live in Bremen vote for those who sit in the senate?
        What happened in Europe this year?
        Can I return an item that I bought online?
        What is the IT budget of the ministry?
        Name the capital of New Zealand.
        What is the difference between a tram and a train?
        Where do penguins live in winter?
        What does the report on harbour dues recommend?
        I know that taxes rose, so what does the council spend on schools?
        What things such as lamps or tents can be rented?
        Does it make sense to heat a greenhouse in spring?
        What time is it in Seoul when London wakes up?
        And what is the boiling point of pure water at sea level?
        When did Germany win the World Cup?
        Who said that she would leave the party?
        What does it mean for a bridge to be closed?
        How does the rent in Leipzig compare to that of Berlin?
        Why do people sell their cars?
        How tall is the Eiffel Tower?
    """,
    "de": """
        Ist es wahr, dass die Brücke 1894 gebaut wurde?
        Wie ist es möglich, einen Reisepass online zu verlängern?
        Gibt es im alten Hafen ein Museum?
        Wie viele Leuchttürme gibt es auf der Insel?
        Es gibt wie viele Fähren auf der Elbe?
        Regnet es in Schottland oft?
        Worum geht es im Jahresbericht der Stadtwerke?
        Wie lange dauert es, bis ein Bauantrag genehmigt ist?
        Lohnt es sich, ein altes Fahrrad zu reparieren?
        Wer erfand den Buchdruck?
        Wie viele Urlaubstage haben Teilzeitkräfte?
        Wie bezahlt eine Firma ihre Angestellten?
        Was ist ein Darlehen und wie funktioniert es?
        Hat Clara Schumann ihre Lieder selbst veröffentlicht?
        Was geschah dieses Jahr in Europa?
        Welche Dokumente belegen, dass die Fähre zu spät kam?
        Wie heißt das Schiff, das 1912 sank?
        Können Sie mir sagen, wie hoch der Eiffelturm ist?
        Was ist das größte Land der Erde?
        Wie heißt die Hauptstadt von Neuseeland?
        Was ist der Unterschied zwischen einer Tram und einem Zug?
        Was steht im Bericht über Hafengebühren?
        Wovon hängt es ab, ob ein Antrag genehmigt wird?
        Wann gewann Deutschland die Weltmeisterschaft?
        Was muss ich tun, damit mein Pass verlängert wird?
        Ist es erlaubt, in Hamburg auf dem Gehweg zu parken?
        Wo leben Pinguine im Winter?
        Wo lebte Tesla den größten Teil seines Lebens?
        Was ist die NATO?
        Wie nennt man es, wenn eine Fähre nicht fährt?
        Welche Farbe hat das Dach der Kathedrale?
        Und wie hoch ist der Siedepunkt von reinem Wasser auf Meereshöhe?
        Handelt es sich bei Walen um Säugetiere?
        Wer darf in Bremen den Senat wählen?
        Wie viel kostet die Versicherung für ein kleines Boot?
        Kann ich das neue Formular benutzen?
        Wie finde ich die Akten?
        wie finde ich die akten?
        kann ich das passwort ändern?
        Wie schalte ich den Drucker ein?
        wie schalte ich den drucker ein?
        Wie kann man die Daten sichern?
        Kann ich die nicht genommenen Urlaubstage übertragen?
        Kann ich die online bestellten Waren umtauschen?
        Wie kann ich das Löschen rückgängig machen?
        Darf ich das Auto auch privat nutzen?
        Wo finde ich mein Zeugnis und kann ich das auch ausdrucken?
    """,
    "ko": """
        다리는 언제 지어졌나요, 그리고 누가 다리를 설계했나요?
        에펠탑의 높이는 얼마인가요?
        그리스의 수도는 어디인가요?
        그림 대회는 언제 열리나요?
        그래프 데이터베이스란 무엇인가요?
        그룹 여행 할인은 얼마인가요?
        이순신 장군은 언제 태어났나요?
        이사회의 임기는 몇 년인가요?
        거기자동차라는 회사는 언제 설립되었나요?
        대한민국의 수도는 어디인가요?
        시간제 직원의 연차는 며칠인가요?
        여권을 온라인으로 갱신하는 방법은 무엇인가요?
        부산에서 제주까지 배로 얼마나 걸리나요?
        인쇄술을 발명한 사람은 누구인가요?
        펭귄은 겨울에 어디에서 사나요?
        뉴질랜드의 수도 이름을 알려 주세요.
        작은 배의 보험료는 얼마인가요?
        딥러닝이란 무엇인가요?
        비가 자주 오는 지역은 어디인가요?
        독일은 언제 월드컵에서 우승했나요?
        물의 끓는점은 해수면에서 몇 도인가요?
        항만 이용료에 대한 보고서는 무엇을 권고하나요?
        전차와 기차의 차이는 무엇인가요?
        온라인에서 산 물건을 반품할 수 있나요?
        함부르크에서 인도에 주차하는 것이 합법인가요?
        1912년에 침몰한 배의 이름은 무엇인가요?
        세종대왕은 한글을 왜 만들었고 그것을 언제 반포했나요?
        저작권 보호 기간은 몇 년인가요?
        1950년 월드컵의 개최국은?
        1980년 당시 시장은 누구였나요?
        그린카드 신청 자격은 무엇인가요?
        이혼 소송에는 어떤 서류가 필요한가요?
        그런데 서울에서 가장 오래된 다리의 이름은 무엇인가요?
        휴게실은 어디에 있나요?
        연차는 며칠까지 가능해?
        출장비는 얼마나 지원돼?
        식당은 몇 시에 해?
        구내식당 몇 시까지 해?
        노트북 어디서 받아?
        회의실 비용은 얼마인가요?
        육아휴직은 누가 신청할 수 있나요?
        비밀번호를 잊어버렸을 때 어떻게 하나요?
        남북한은 몇 명인가요?
        환불이란 어떤 제도인가요?
    """,
}

GREETINGS = """
    hi
    Hello!
    Hey there :)
    Good morning
    Thanks
    Thank you very much!
    ok thanks
    Great, thank you so much for your help.
    That's all, bye
    Hallo
    Guten Tag!
    Danke
    Vielen Dank für die Hilfe!
    Alles klar, danke
    Tschüss
    Auf Wiedersehen.
    안녕하세요
    안녕하세요?
    감사합니다
    네, 감사합니다!
    고마워요
    안녕히 계세요.
    수고하세요~
"""

NO_GREETINGS = """
    Hi, when does the ferry leave?
    Thanks, and how much is it?
    Thanksgiving
    History
    Hallo, wann fährt die Fähre?
    Danke, und was kostet das?
    Gute Nacht Geschichten
    안녕하세요, 배는 언제 출발하나요?
    감사합니다. 그럼 요금은요?
    감사원은 무엇인가요?
    Who?
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_a_question_that_refers_back_is_detected(lang: str) -> None:
    assert len(lines(REFERRING[lang])) >= 25
    assert [question for question in lines(REFERRING[lang]) if not needs_rewriting(question, lang)] == []


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_a_question_that_stands_alone_needs_no_rewriting(lang: str) -> None:
    assert len(lines(STANDING[lang])) >= 25
    assert [question for question in lines(STANDING[lang]) if needs_rewriting(question, lang)] == []


def test_greetings_thanks_and_goodbyes_are_recognised_in_every_language() -> None:
    assert [text for text in lines(GREETINGS) if not is_greeting(text)] == []
    assert [text for text in lines(NO_GREETINGS) if is_greeting(text)] == []


@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_a_greeting_needs_no_rewriting(lang: str) -> None:
    assert [text for text in lines(GREETINGS) if needs_rewriting(text, lang)] == []


def test_apostrophes_spacing_and_a_missing_question_mark_do_not_matter() -> None:
    assert needs_rewriting("What’s it’s price?", "en")
    assert needs_rewriting("  who \n is\the ", "en")
    assert needs_rewriting("wie funktioniert das", "de")


def test_a_language_without_patterns_needs_no_rewriting() -> None:
    assert not needs_rewriting("それは何ですか", "ja")
    assert not needs_rewriting("", "en")


@pytest.mark.sample
@pytest.mark.timeout(30)  # a linear pattern takes a tenth of a second
@pytest.mark.parametrize(
    "piece",
    [
        "it is ",
        "it to ",
        "es ist ",
        "es sich lohnt es sich a, ",
        "daran a a ",
        "ich das auch a ",
        "그 ",
        "그것들은",
        "들은",
        "몇 ",
        "(",
        "thanks ",
        "bye ",
        "네 ",
        "a ",
        "the a ",
    ],
)
@pytest.mark.parametrize("lang", ["en", "de", "ko"])
def test_a_long_hostile_question_takes_no_more_than_linear_time(piece: str, lang: str) -> None:
    needs_rewriting(piece * 50_000 + "x", lang)
    needs_rewriting(f"그것{piece * 40}x 비용{piece * 40}x 하{piece * 40}x", lang)
    is_greeting(piece * 50_000 + "x")


def test_salient_words_are_kept_as_written() -> None:
    assert salient_words("What’s the height of the Eiffel-Tower, please?", "en") == ["height", "Eiffel-Tower"]
    assert salient_words("Wie hoch sind die Gebühren für ihn dort?", "de") == ["hoch", "Gebühren"]
    assert salient_words("그 탑의 높이는 얼마인가요?", "ko") == ["탑의", "높이는"]
    assert salient_words("Why?", "en") == []
