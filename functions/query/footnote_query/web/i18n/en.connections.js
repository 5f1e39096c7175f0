// Texts of an answer's connections.

export default {
  connections_text: 'Names in the cited passages, and the sentences that connect them. Choose a name to read what is said of it; a line opens its passage.',
  connections_picture: 'Names and their connections. The arrow keys go from one to the next; the list below says the same.',
  connections_node: { one: '{name}: {n} connection', other: '{name}: {n} connections' },
  connections_cut: 'The {n} best connected of {all} names are shown.',
  connections_list: 'What the passages say',
  connections_of: 'What the passages say of {name}',
  connections_all: { one: 'Show all', other: 'Show all {n}' },
  connections_said: { one: '{n} sentence', other: '{n} sentences' },
  connections_passage: 'Citation',
  connections_person: 'Person',
  connections_organisation: 'Organisation',
  connections_place: 'Place',
  connections_product: 'Product',
  connections_project: 'Project',
  connections_other: 'Other',
}
