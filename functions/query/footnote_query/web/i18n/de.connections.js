// Texte der Verbindungen einer Antwort.

export default {
  connections_text: 'Namen in den zitierten Textstellen und die Sätze, die sie verbinden. Wählen Sie einen Namen, um zu lesen, was über ihn gesagt wird; eine Linie öffnet ihre Textstelle.',
  connections_picture: 'Namen und ihre Verbindungen. Die Pfeiltasten führen von einem zum nächsten; die Liste darunter enthält dasselbe.',
  connections_node: { one: '{name}: {n} Verbindung', other: '{name}: {n} Verbindungen' },
  connections_cut: 'Gezeigt werden die {n} am besten verbundenen von {all} Namen.',
  connections_list: 'Was die Textstellen sagen',
  connections_of: 'Was die Textstellen über {name} sagen',
  connections_all: { one: 'Alle zeigen', other: 'Alle {n} zeigen' },
  connections_said: { one: '{n} Satz', other: '{n} Sätze' },
  connections_passage: 'Beleg',
  connections_person: 'Person',
  connections_organisation: 'Organisation',
  connections_place: 'Ort',
  connections_product: 'Produkt',
  connections_project: 'Projekt',
  connections_other: 'Sonstiges',
}
