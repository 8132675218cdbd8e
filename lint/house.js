// The rules of this repository, as a plugin of oxlint. They use only `create`, `context.report` and
// the syntax tree, since such rules are experimental in oxlint: they could return to ESLint
// unchanged.
import boundaries from './boundaries.js'
import plainEnglish from './plain-english.js'
import translatedTexts from './translated-texts.js'

export default {
  meta: { name: 'house' },
  rules: {
    boundaries,
    'plain-english': plainEnglish,
    'translated-texts': translatedTexts,
  },
}
