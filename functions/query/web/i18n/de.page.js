// Texts of the list of conversations, and of what helps to work with answers.

export default {
  conversation_search: 'Gespräche suchen',
  conversations_pinned: 'Angeheftet',
  conversations_today: 'Heute',
  conversations_yesterday: 'Gestern',
  conversations_week: 'Letzte 7 Tage',
  conversations_older: 'Älter',
  conversations_found: { one: '{n} Gespräch gefunden', other: '{n} Gespräche gefunden' },
  conversations_none_found: 'Kein Gespräch hat diese Wörter im Titel.',
  conversation_pin: '„{title}“ anheften',
  conversation_rename: '„{title}“ umbenennen',
  conversation_name: 'Name des Gesprächs',

  regenerate: 'Antwort neu erzeugen',
  edit_question: 'Bearbeiten und neu senden',
  copy_code: 'Code kopieren',

  shortcuts: 'Tastenkürzel',
  show_palette: 'Befehle (Strg K)',

  advanced: 'Erweitert',
  modes_need_model: '„Nur Modell“ und „Agent mit Werkzeugen“ brauchen ein Sprachmodell.',

  theme: 'Farbschema',
  theme_system: 'Wie auf diesem Gerät',
  theme_light: 'Hell',
  theme_dark: 'Dunkel',
  usage: 'Ihre Nutzung',
  usage_today: 'Heute (UTC)',
  usage_days: 'Letzte {n} Tage',
  usage_questions: { one: '{n} Frage', other: '{n} Fragen' },
  usage_unlimited: 'Für Sie gilt kein Budget.',
  usage_spent: '{percent} % des heutigen Budgets sind verbraucht',
  usage_tokens_limit: { one: '{n} Token am Tag', other: '{n} Token am Tag' },
  usage_money_limit: '{cost} am Tag',
  usage_search: 'Es ist verbraucht: Bis morgen (UTC) werden Antworten ohne Modell aus den Dokumenten zitiert.',
  usage_cheaper: 'Es ist fast verbraucht: Ein günstigeres Modell antwortet.',

  attach: 'Dateien anhängen',
  attachments: 'Angehängte Dateien',
  attachment_remove: '{name} entfernen',
  attachment_ready: '{name} ist bereit.',
  attachment_failed: '{name} konnte nicht angehängt werden.',
  attachments_wait: 'Die Frage wird gesendet, sobald die Dateien gelesen sind.',
  attachments_unread: '„Nur Modell“ liest die angehängten Dateien nicht. Wählen Sie unter „Erweitert“ „Dokumente“.',
  drop_attach: 'Ablegen, um an die Frage anzuhängen',
}
