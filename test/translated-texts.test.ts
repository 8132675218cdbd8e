// The lint rule that finds untranslated page texts.
import { Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import { expect, test } from 'vitest'
import translatedTexts from '../lint/translated-texts.js'

const found = (code: string): string[] =>
  new Linter()
    .verify(
      code,
      [
        {
          files: ['**/*.tsx'],
          languageOptions: {
            parser: tseslint.parser as Linter.Parser,
            parserOptions: { ecmaFeatures: { jsx: true } },
          },
          plugins: { texts: { rules: { translated: translatedTexts } } },
          rules: { 'texts/translated': 'error' },
        },
      ],
      'page.tsx',
    )
    .map(({ message }) => message)

test.each([
  '<p>Delete files</p>',
  '<Button label="Delete files" />',
  '<Button label={`Delete ${name}`} />',
  "<Button label={all ? 'Everything' : t('Some')} />",
  "<p>{empty && 'Nothing yet'}</p>",
  "const action = { content: 'Delete files' }",
])('%s is refused', (code) => expect(found(code)).toEqual([expect.stringMatching(/^Wrap “/)]))

test.each([
  "<p>{t('Delete files')}</p>",
  '<Button tone="critical" label={t(\'Delete files\')} />',
  '<p>· {name} 100 %</p>',
  '<a>Stevedore</a>',
  "const action = { id: 'delete', content: t('Delete files') }",
])('%s is allowed', (code) => expect(found(code)).toEqual([]))

test('a message must be a literal, so that the extractor finds it', () => {
  expect(found('t(message)')).toEqual([expect.stringContaining('npm run messages')])
  expect(found('t(`Delete ${name}`)')).toEqual([expect.stringContaining('npm run messages')])
})
