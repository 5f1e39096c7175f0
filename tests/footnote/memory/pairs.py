"""Pairs of similar questions. `DIFFERENT`: the answer to one is wrong for the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Pair(NamedTuple):
    kind: str
    lang: str
    asked: str
    other: str


def _read(lines: str) -> tuple[Pair, ...]:
    """Parses `kind lang | a question | another one`, one pair per line."""
    pairs = []
    for line in lines.strip().splitlines():
        head, asked, other = (part.strip() for part in line.split("|"))
        kind, lang = head.split()
        pairs.append(Pair(kind, lang, asked, other))
    return tuple(pairs)


def read_fresh() -> list[tuple[str, str, str, bool]]:
    """(language, a question, another one, whether they mean the same): 100 and 100 English pairs, 30 and 40 German and Korean ones
    each, written without sight of the rules."""
    lines = Path(__file__).with_name("fresh_pairs.jsonl").read_text("utf-8").splitlines()
    return [(row["lang"], row["a"], row["b"], row["same"]) for row in map(json.loads, lines)]


DIFFERENT = _read("""
number en | How many days off do I get after 2 years? | How many days off do I get after 3 years?
number en | What is the fee for a loan of 5,000 euros? | What is the fee for a loan of 50,000 euros?
number en | What does error 404 mean on the label printer? | What does error 407 mean on the label printer?
number en | How many people fit into meeting room twelve? | How many people fit into meeting room twenty?
number en | What changed in version 1.1 of the app? | What changed in version 1.10 of the app?
number en | What changed in version 2.5 of the app? | What changed in version 25 of the app?
number en | What does chapter four say about noise? | What does chapter five say about noise?
number en | Who won the third prize? | Who won the second prize?
number en | What is the rent of a flat with one bedroom? | What is the rent of a flat with two bedrooms?
number en | What is the discount for orders above 100 pieces? | What is the discount for orders above 1,000 pieces?
number en | How much is a half share? | How much is a quarter share?
number en | What happens at -5 degrees? | What happens at 5 degrees?
number en | Which bus leaves at 7:15? | Which bus leaves at 7:50?
number en | Where is gate B12? | Where is gate B21?
number en | What is the deadline for form W-8? | What is the deadline for form W-9?
number en | What is the tax on 0.5 litres of spirits? | What is the tax on 5 litres of spirits?
number en | How long is the warranty in the first year? | How long is the warranty in the first two years?
unit en | How high is the limit of 10 km/h? | How high is the limit of 10 mph?
unit en | What is the boiling point in °C? | What is the boiling point in °F?
unit en | What is the fine for 5 minutes of delay? | What is the fine for 5 hours of delay?
unit en | What is the price in $? | What is the price in €?
unit en | How much is a 3% raise? | How much is a 3‰ raise?
unit en | What is the dose for 20 mg? | What is the dose for 20 g?
unit en | Does the shop open at 9 a.m.? | Does the shop open at 9 p.m.?
date en | What was the revenue in March 2021? | What was the revenue in May 2021?
date en | What was the revenue in 2019? | What was the revenue in 2020?
date en | Who is on duty on Monday? | Who is on duty on Sunday?
date en | What is due by 1 June? | What is due by 1 July?
date en | When is the office closed this week? | When is the office closed next week?
date en | What is on the menu today? | What is on the menu tomorrow?
date en | What happened in the 18th century? | What happened in the 19th century?
date en | How many staff did we have at the start of the year? | How many staff did we have at the end of the year?
date en | What is the summer timetable? | What is the winter timetable?
name en | When was Anna Weber hired? | When was Anne Weber hired?
name en | What is the population of Austria? | What is the population of Australia?
name en | What does the NDA with Acme cover? | What does the NDA with Apex cover?
name en | How do I install the driver on Linux? | How do I install the driver on Windows?
name en | What is the VPN address in Berlin? | What is the VPN address in Bern?
name en | Is the service available in the US? | Is the service available in the UK?
name en | Who leads the IT department? | Who leads the HR department?
name en | What is the difference between C and C++? | What is the difference between C and C#?
name en | Which grants does the WHO give? | Which grants does the WTO give?
name en | What did Mr. Lee sign? | What did Mrs. Lee sign?
name en | Can blood of type A+ be given? | Can blood of type A- be given?
name en | Where does Maria Lopez live? | Where does Mario Lopez live?
name en | What is the phone number of Dr. Hall? | What is the phone number of Dr. Hill?
name en | what is the dress code at york university? | what is the dress code at the university of york?
role en | Did Acme buy Apex? | Did Apex buy Acme?
role en | Does Kim report to Lee? | Does Lee report to Kim?
role en | How long is the flight from Rome to Oslo? | How long is the flight from Oslo to Rome?
role en | Who did Anna hire? | Who hired Anna?
role en | How much do I owe you? | How much do you owe me?
role en | Can a manager overrule a director? | Can a director overrule a manager?
role en | Who was promoted by Kim? | Who promoted Kim?
negation en | Which goods are taxed? | Which goods are not taxed?
negation en | Can I travel with a visa? | Can I travel without a visa?
negation en | Which rooms have a window? | Which rooms have no window?
negation en | Who has signed the contract? | Who has never signed the contract?
negation en | Are pets allowed in the flat? | Aren't pets allowed in the flat?
negation en | Which employees are eligible? | Which employees are ineligible?
negation en | When can the order be cancelled? | When can't the order be cancelled?
negation en | Which files does the backup include? | Which files does the backup exclude?
negation en | Is overtime paid? | Is overtime unpaid?
negation en | Which of the two plans is refundable? | Which of the two plans is non-refundable?
negation en | What should I do if the alarm rings? | What should I do unless the alarm rings?
contrast en | What must be done before the audit? | What must be done after the audit?
contrast en | What is the minimum age? | What is the maximum age?
contrast en | Who was the first director? | Who was the last director?
contrast en | Which product sold most? | Which product sold least?
contrast en | Why did sales increase? | Why did sales decrease?
contrast en | How do I turn on the heating? | How do I turn off the heating?
contrast en | How do I log in to the portal? | How do I log out of the portal?
contrast en | What is the buying rate of the dollar? | What is the selling rate of the dollar?
contrast en | When is check-in? | When is check-out?
contrast en | Where is the north entrance? | Where is the south entrance?
contrast en | What is the upper limit for claims? | What is the lower limit for claims?
contrast en | How do I enable sharing? | How do I disable sharing?
contrast en | Who pays for domestic travel? | Who pays for international travel?
contrast en | What is the gross salary of a trainee? | What is the net salary of a trainee?
contrast en | How do I import contacts? | How do I export contacts?
contrast en | What do adults pay? | What do children pay?
contrast en | What is the notice period for employers? | What is the notice period for employees?
contrast en | Which fee applies to deposits? | Which fee applies to withdrawals?
contrast en | What is the latest version? | What is the earliest version?
contrast en | Is the left door locked? | Is the right door locked?
contrast en | How long does the train take? | How long does the training take?
asked en | Who signed the lease? | When was the lease signed?
asked en | When was the bridge built? | Where was the bridge built?
asked en | How many boats are there? | How old are the boats?
asked en | Who designed the bridge? | Who built the bridge?
asked en | How tall is the tower? | How wide is the tower?
asked en | What is the cause of the fault? | What is the effect of the fault?
asked en | Who is the director? | Who was the director?
asked en | When does the shop open? | When did the shop open?
asked en | Can I park here? | Must I park here?
asked en | What is my limit? | What is her limit?
asked en | Which party won the vote? | Which party lost the vote?
asked en | What is the colour of the front door? | What is the weight of the front door?
asked en | Who is the author of the report? | Who is the authority for the report?
asked en | How often is the filter changed? | How is the filter changed?
asked en | Why is the lift closed? | Is the lift closed?
scope en | What is the notice period? | What is the notice period for contractors?
scope en | Who may use the pool? | Who may use the pool at night?
scope en | What is the fee for all accounts? | What is the fee for new accounts?
scope en | Is lunch free? | Is lunch free for guests?
scope en | Where are the keys of the van? | Where are the spare keys of the van?
scope en | Which doors are always open? | Which doors are sometimes open?
scope en | Can each member vote? | Can only members vote?
number de | Wie viele Urlaubstage habe ich nach 2 Jahren? | Wie viele Urlaubstage habe ich nach 3 Jahren?
number de | Wie hoch ist die Gebühr ab 1.000 Euro? | Wie hoch ist die Gebühr ab 10.000 Euro?
number de | Was kostet ein Paket mit 1,5 kg? | Was kostet ein Paket mit 15 kg?
number de | Was steht in Paragraf drei? | Was steht in Paragraf vier?
number de | Wer wohnt im ersten Stock? | Wer wohnt im zweiten Stock?
number de | Wie viele Leute passen in Raum zwölf? | Wie viele Leute passen in Raum zwanzig?
unit de | Wie hoch ist die Strafe bei 20 Minuten Verspätung? | Wie hoch ist die Strafe bei 20 Stunden Verspätung?
unit de | Wie hoch ist der Preis in Euro? | Wie hoch ist der Preis in Franken?
unit de | Reichen 5 ml des Mittels? | Reichen 5 cl des Mittels?
date de | Wie hoch war der Umsatz im Januar? | Wie hoch war der Umsatz im Februar?
date de | Was ist am Montag geplant? | Was ist am Freitag geplant?
date de | Was gilt seit 2018? | Was gilt bis 2018?
date de | Was gibt es heute zu essen? | Was gibt es morgen zu essen?
name de | Wann wurde Frau Maier eingestellt? | Wann wurde Frau Bauer eingestellt?
name de | Wie heißt der Hafen von Bremen? | Wie heißt der Hafen von Bremerhaven?
name de | Was deckt der Vertrag mit der AOK ab? | Was deckt der Vertrag mit der TKK ab?
name de | Wann haben Sie geöffnet? | Wann haben sie geöffnet?
name de | Wie weit ist es von Köln nach Bonn? | Wie weit ist es von Bonn nach Köln?
role de | Hat die Bank den Kunden verklagt? | Hat der Kunde die Bank verklagt?
negation de | Welche Waren sind zollfrei? | Welche Waren sind nicht zollfrei?
negation de | Darf ich mit Hund einziehen? | Darf ich ohne Hund einziehen?
negation de | Welche Zimmer haben ein Fenster? | Welche Zimmer haben kein Fenster?
negation de | Wer hat den Vertrag schon unterschrieben? | Wer hat den Vertrag nie unterschrieben?
negation de | Wer ist für den Bonus berechtigt? | Wer ist für den Bonus unberechtigt?
contrast de | Was ist vor der Prüfung zu tun? | Was ist nach der Prüfung zu tun?
contrast de | Wie hoch ist das Mindestalter? | Wie hoch ist das Höchstalter?
contrast de | Welches Modell ist am teuersten? | Welches Modell ist am billigsten?
contrast de | Wie schalte ich den Alarm ein? | Wie schalte ich den Alarm aus?
contrast de | Warum stiegen die Kosten? | Warum sanken die Kosten?
contrast de | Wie melde ich mich an? | Wie melde ich mich ab?
contrast de | Wie hoch ist das Bruttogehalt? | Wie hoch ist das Nettogehalt?
contrast de | Was zahlt der Mieter? | Was zahlt der Vermieter?
contrast de | Wann ist die Anreise? | Wann ist die Abreise?
contrast de | Wie hoch ist die Miete? | Wie hoch ist der Mieter?
contrast de | Wo ist der linke Eingang? | Wo ist der rechte Eingang?
asked de | Wer baute die Brücke? | Wann wurde die Brücke gebaut?
asked de | Wie hoch ist der Turm? | Wie alt ist der Turm?
asked de | Wer ist der Leiter? | Wer war der Leiter?
asked de | Woher kommt die Ware? | Wohin kommt die Ware?
asked de | Darf ich hier parken? | Muss ich hier parken?
scope de | Wie lang ist die Kündigungsfrist? | Wie lang ist die Kündigungsfrist für Azubis?
scope de | Wer darf die Sauna nutzen? | Wer darf nur die Sauna nutzen?
number ko | 2년 근무하면 휴가가 며칠인가요? | 3년 근무하면 휴가가 며칠인가요?
number ko | 제3조의 내용은 무엇인가요? | 제5조의 내용은 무엇인가요?
number ko | 회의실 열두 개의 위치는? | 회의실 열세 개의 위치는?
number ko | 10만 원 이상 주문의 배송비는 얼마인가요? | 100만 원 이상 주문의 배송비는 얼마인가요?
number ko | 두 번째 단계는 무엇입니까? | 세 번째 단계는 무엇입니까?
unit ko | 보증 기간은 6개월인가요? | 보증 기간은 6년인가요?
unit ko | 20분 지각하면 어떻게 되나요? | 20시간 지각하면 어떻게 되나요?
unit ko | 가격은 몇 달러인가요? | 가격은 몇 유로인가요?
date ko | 2020년 매출은 얼마입니까? | 2021년 매출은 얼마입니까?
date ko | 월요일 당직은 누구인가요? | 일요일 당직은 누구인가요?
date ko | 오늘 점심 메뉴는 무엇인가요? | 내일 점심 메뉴는 무엇인가요?
date ko | 오전 9시에 문을 여나요? | 오후 9시에 문을 여나요?
name ko | 김민수의 직책은 무엇인가요? | 김민준의 직책은 무엇인가요?
name ko | 부산 지점의 전화번호는? | 부천 지점의 전화번호는?
name ko | VPN 설정 방법을 알려 주세요. | VDI 설정 방법을 알려 주세요.
name ko | Windows에서 어떻게 설치하나요? | Linux에서 어떻게 설치하나요?
name ko | 국세청에 무엇을 내야 하나요? | 관세청에 무엇을 내야 하나요?
role ko | 철수가 영희를 추천했나요? | 철수를 영희가 추천했나요?
role ko | 서울에서 부산까지 얼마나 걸리나요? | 부산에서 서울까지 얼마나 걸리나요?
negation ko | 반려동물이 허용되나요? | 반려동물이 허용되지 않나요?
negation ko | 비자가 있으면 입국할 수 있나요? | 비자가 없으면 입국할 수 있나요?
negation ko | 환불이 되는 상품은 무엇인가요? | 환불이 안 되는 상품은 무엇인가요?
negation ko | 이 문은 열 수 있나요? | 이 문은 못 여나요?
negation ko | 과세 대상은 무엇입니까? | 비과세 대상은 무엇입니까?
negation ko | 보험이 적용되는 경우는? | 보험이 적용되지 않는 경우는?
contrast ko | 감사 전에 해야 할 일은? | 감사 후에 해야 할 일은?
contrast ko | 최대 인원은 몇 명인가요? | 최소 인원은 몇 명인가요?
contrast ko | 매출이 왜 증가했나요? | 매출이 왜 감소했나요?
contrast ko | 알람을 어떻게 켜나요? | 알람을 어떻게 끄나요?
contrast ko | 입금 수수료는 얼마인가요? | 출금 수수료는 얼마인가요?
contrast ko | 첫 대표는 누구인가요? | 마지막 대표는 누구인가요?
contrast ko | 국내 출장비는 얼마인가요? | 해외 출장비는 얼마인가요?
contrast ko | 왼쪽 문은 어디로 가나요? | 오른쪽 문은 어디로 가나요?
contrast ko | 세전 급여는 얼마인가요? | 세후 급여는 얼마인가요?
asked ko | 다리를 누가 지었나요? | 다리를 언제 지었나요?
asked ko | 탑의 높이는 얼마인가요? | 탑의 너비는 얼마인가요?
asked ko | 현재 책임자는 누구인가요? | 이전 책임자는 누구인가요?
scope ko | 해지 기간은 얼마인가요? | 수습의 해지 기간은 얼마인가요?
groups en | What is in the budget plan? | What is in the budget plan?
groups en | Which posts will be cut? | Which posts will be cut?
groups en | Who is paid a bonus? | Who is paid a bonus?
groups de | Was steht im Haushaltsplan? | Was steht im Haushaltsplan?
groups de | Wer bekommt eine Prämie? | Wer bekommt eine Prämie?
groups ko | 예산 계획의 내용은 무엇인가요? | 예산 계획의 내용은 무엇인가요?
groups ko | 누가 상여금을 받나요? | 누가 상여금을 받나요?
conversation en | And how much is the second one? | And how much is the second one?
conversation en | Who signed it? | Who signed it?
conversation en | What about after the deadline? | What about after the deadline?
conversation de | Und wie lange gilt das? | Und wie lange gilt das?
conversation de | Was kostet der andere? | Was kostet der andere?
conversation ko | 그것은 언제까지인가요? | 그것은 언제까지인가요?
conversation ko | 두 번째는 얼마예요? | 두 번째는 얼마예요?
language en | What is the Gift procedure? | What is the Gift procedure?
language de | Handy Support Hotline? | Handy Support Hotline?
language ko | VPN 2? | VPN 2?
""")
