// The rules of this repository, as a plugin of oxlint.
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
