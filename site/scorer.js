// How search orders pages: by Sphinx's own points, and among equals the guides first, decisions and changes last.
// `var`, because Sphinx declares it, too.
const BONUS = [
  [/quick-start|how-to/, 3],
  [/decisions|CHANGELOG|NOTICE|architecture/, -3],
  [/api|settings/, -1],
];
var Scorer = {
  score: ([page, , , , points]) => points + (BONUS.find(([pages]) => pages.test(page))?.[1] ?? 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
