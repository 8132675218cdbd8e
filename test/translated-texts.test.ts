// The lint rule that finds untranslated page texts.
import translatedTexts from '../lint/translated-texts.js'
import { ruleTester } from './lint-rules.ts'

const UNTRANSLATED = [
  '<p>Delete files</p>',
  '<Button label="Delete files" />',
  '<Button label={`Delete ${name}`} />',
  "<Button label={all ? 'Everything' : t('Some')} />",
  "<p>{empty && 'Nothing yet'}</p>",
  "const action = { content: 'Delete files' }",
]
/** The extractor of messages does not find these. */
const NOT_LITERAL = ['t(message)', 't(`Delete ${name}`)']

ruleTester.run('translated-texts', translatedTexts, {
  valid: [
    "<p>{t('Delete files')}</p>",
    '<Button tone="critical" label={t(\'Delete files\')} />',
    '<p>· {name} 100 %</p>',
    '<a>Stevedore</a>',
    "const action = { id: 'delete', content: t('Delete files') }",
  ],
  invalid: [
    ...UNTRANSLATED.map((code) => ({ code, errors: [{ message: /^Wrap “/ }] })),
    ...NOT_LITERAL.map((code) => ({ code, errors: [{ message: /npm run messages/ }] })),
  ],
})
