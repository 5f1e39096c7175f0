// Was über die Kosten von Sprachmodellen gesagt wird.

export default {
  cost_unknown: 'Die Kosten sind unbekannt, weil diese Modelle keinen Preis haben: {models}.',
  cost_set_prices: 'Preise eintragen',
  cost_ask_admin: 'Ein Administrator kann Preise eintragen.',
  cost_no_model: 'Es ist kein Sprachmodell verbunden, und in diesem Zeitraum wurde keines benutzt: Es gibt keine Kosten.',
  cost_no_tokens: 'In diesem Zeitraum wurde kein Sprachmodell benutzt: Es gibt keine Kosten.',
}
