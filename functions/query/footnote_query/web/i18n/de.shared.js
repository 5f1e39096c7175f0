// Texte zum Teilen einer Unterhaltung und der Seite, die eine geteilte zeigt.

export default {
  share: 'Unterhaltung teilen',
  share_text: 'Wer den Link hat und sich anmelden kann, liest die Fragen und Antworten bis jetzt. Was jemand von den Quellen nicht lesen darf, wird zurückgehalten.',
  share_valid: 'Gültig für',
  share_days: { one: '{n} Tag', other: '{n} Tage' },
  share_forever: 'bis er gelöscht wird',
  share_make: 'Link erstellen',
  share_link: 'Link',
  share_copy: 'Link kopieren',
  share_made: 'Kopieren Sie den Link jetzt. Er wird nur dieses eine Mal angezeigt.',
  share_created: 'Link erstellt',
  share_until: 'gültig bis {date}',
  share_no_end: 'gültig, bis er gelöscht wird',
  share_delete: 'Link löschen',
  share_deleted: 'Der Link wurde gelöscht. Er öffnet nichts mehr.',
  shared: 'Geteilte Unterhaltung',
  shared_back: 'Selbst eine Frage stellen',
  shared_about: 'Jemand hat diese Fragen und Antworten mit Ihnen geteilt. Sie sehen, was Ihre eigenen Berechtigungen erlauben.',
  shared_gone: 'Dieser Link ist unbekannt, wurde gelöscht oder ist abgelaufen. Bitten Sie um einen neuen.',
  shared_withheld: 'Diese Antwort wird Ihnen nicht angezeigt: Eine Quelle wurde geändert oder gelöscht, oder Sie können sie nicht lesen.',
  shared_part: 'Ein Teil dieser Antwort wird Ihnen nicht angezeigt: Eine Quelle wurde geändert oder gelöscht, oder Sie können sie nicht lesen.',
}
