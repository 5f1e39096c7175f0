"""Short everyday questions that documents of a team hardly answer, 60 per language. Refusals are calibrated with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

EVERYDAY: Mapping[str, Sequence[str]] = {
    "en": """How do I bake sourdough bread?
What should I cook tonight?
Why is my cat sneezing?
When does the pharmacy open?
Who won the match yesterday?
How tall is the Eiffel Tower?
What is the capital of Peru?
How do I tie a tie?
Is it going to rain tomorrow?
Which film should we watch?
How long do eggs boil?
Where did I park my car?
What is a good birthday present for my sister?
How do I remove red wine stains?
Who sang that song?
What time does the train leave?
How many calories are in a banana?
Can dogs eat chocolate?
Why do my knees hurt?
How do I get rid of ants?
What is the meaning of life?
When is Easter this year?
Who is my landlord?
How do I grow tomatoes on a balcony?
What does my horoscope say?
Which mattress is best for back pain?
How old is the queen?
Where can I buy cheap shoes?
How do I fix a leaking tap?
What is the plot of Hamlet?
How do I learn to swim?
Why is the sky blue?
What is the best beach in Spain?
How much does a wedding cost?
When should I prune roses?
Who invented the telephone?
What are the rules of chess?
How do I stop a nosebleed?
Which wine goes with fish?
Is my baby teething?
How far is the moon?
What is the name of that actor?
How do I clean the oven?
When does the swimming pool close?
Who is on television tonight?
How do I make friends in a new town?
What is a healthy breakfast?
Where do penguins live?
How often should I water a cactus?
Why does my car make that noise?
What do I wear to a funeral?
How do I braid hair?
Which bus goes to the airport?
What is my blood type?
How long does a cold last?
Who painted the Mona Lisa?
How do I train a puppy?
Can I get a haircut on Sunday?
What is the best joke you know?
How do I say thank you in Japanese?""".splitlines(),
    "de": """Wie backe ich einen Apfelkuchen?
Was koche ich heute Abend?
Warum niest meine Katze?
Wann macht die Apotheke auf?
Wer hat gestern gewonnen?
Wie hoch ist der Eiffelturm?
Was ist die Hauptstadt von Peru?
Wie binde ich eine Krawatte?
Regnet es morgen?
Welchen Film sollen wir schauen?
Wie lange kochen Eier?
Wo habe ich mein Auto geparkt?
Was schenke ich meiner Schwester zum Geburtstag?
Wie gehen Rotweinflecken raus?
Wer hat dieses Lied gesungen?
Wann fährt der letzte Zug?
Wie viele Kalorien hat eine Banane?
Dürfen Hunde Schokolade fressen?
Warum tun meine Knie weh?
Was hilft gegen Ameisen?
Was ist der Sinn des Lebens?
Wann ist dieses Jahr Ostern?
Wer ist mein Vermieter?
Wie ziehe ich Tomaten auf dem Balkon?
Was sagt mein Horoskop?
Welche Matratze hilft bei Rückenschmerzen?
Wie alt ist der Papst?
Wo gibt es günstige Schuhe?
Wie repariere ich einen tropfenden Wasserhahn?
Worum geht es in Faust?
Wie lerne ich schwimmen?
Warum ist der Himmel blau?
Welcher Strand auf Mallorca ist der schönste?
Was kostet eine Hochzeit?
Wann schneidet man Rosen?
Wer hat das Telefon erfunden?
Wie sind die Regeln beim Schach?
Was tun bei Nasenbluten?
Welcher Wein passt zu Fisch?
Zahnt mein Baby?
Wie weit ist der Mond entfernt?
Wie heißt dieser Schauspieler?
Wie putze ich den Backofen?
Wann schließt das Schwimmbad?
Was läuft heute im Fernsehen?
Wie finde ich neue Freunde?
Was ist ein gesundes Frühstück?
Wo leben Pinguine?
Wie oft gieße ich einen Kaktus?
Warum klappert mein Auto?
Was ziehe ich zur Beerdigung an?
Wie flechte ich einen Zopf?
Welcher Bus fährt zum Flughafen?
Welche Blutgruppe habe ich?
Wie lange dauert eine Erkältung?
Wer hat die Mona Lisa gemalt?
Wie erziehe ich einen Welpen?
Hat der Friseur am Montag auf?
Kennst du einen guten Witz?
Was heißt danke auf Japanisch?""".splitlines(),
    "ko": """오늘 저녁 뭐 해 먹지?
된장찌개는 어떻게 끓이나요?
고양이가 왜 재채기를 하나요?
약국은 몇 시에 여나요?
어제 경기 누가 이겼어?
에펠탑 높이는 얼마인가요?
페루의 수도는 어디인가요?
넥타이는 어떻게 매나요?
내일 비가 오나요?
무슨 영화를 볼까?
달걀은 몇 분 삶아야 하나요?
내 차를 어디에 세웠지?
동생 생일 선물로 뭐가 좋을까?
와인 얼룩은 어떻게 지우나요?
이 노래 누가 불렀어?
막차는 몇 시에 있나요?
바나나 칼로리가 얼마인가요?
강아지가 초콜릿을 먹어도 되나요?
무릎이 왜 아플까요?
개미를 어떻게 없애나요?
인생의 의미가 뭘까?
올해 추석은 언제인가요?
우리 집주인이 누구지?
베란다에서 상추를 어떻게 키우나요?
오늘 내 운세가 어때?
허리 아플 때 어떤 매트리스가 좋나요?
교황은 몇 살인가요?
싼 신발은 어디서 사나요?
수도꼭지가 새는데 어떻게 고치나요?
춘향전 줄거리가 뭔가요?
수영은 어떻게 배우나요?
하늘은 왜 파란가요?
제주도에서 제일 예쁜 해변은 어디인가요?
결혼식 비용이 얼마나 드나요?
장미는 언제 가지치기하나요?
전화기는 누가 발명했나요?
장기 규칙이 어떻게 되나요?
코피가 나면 어떻게 하나요?
생선에 어울리는 와인은 뭐예요?
아기 이가 나는 걸까요?
달까지 거리가 얼마인가요?
그 배우 이름이 뭐였지?
오븐은 어떻게 청소하나요?
수영장은 몇 시에 닫나요?
오늘 티비에서 뭐 하나요?
새 친구를 어떻게 사귀나요?
건강한 아침 식사는 뭐가 있나요?
펭귄은 어디에 사나요?
선인장은 물을 얼마나 자주 주나요?
차에서 왜 이상한 소리가 나지?
장례식에 뭐 입고 가나요?
머리는 어떻게 땋나요?
공항 가는 버스가 몇 번인가요?
내 혈액형이 뭐지?
감기는 얼마나 오래 가나요?
모나리자는 누가 그렸나요?
강아지 배변 훈련은 어떻게 하나요?
미용실 일요일에 하나요?
재미있는 농담 하나 해줘
일본어로 고맙다는 말이 뭐예요?""".splitlines(),
}
YARDSTICKS = 8


def yardsticks(lang: str) -> Sequence[str]:
    """Everyday questions of the language, or of English, that tell what unrelated texts score with an embedder."""
    return EVERYDAY.get(lang, EVERYDAY["en"])[:YARDSTICKS]
