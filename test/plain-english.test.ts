import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Linter } from 'eslint'
import { expect, test } from 'vitest'
import plainEnglish, { bannedIn } from '../lint/plain-english.js'

/** The rule's reports, each as line:column and the words found. */
function found(code: string, options: { texts?: boolean } = {}): string[] {
  const messages = new Linter().verify(code, {
    plugins: { own: { rules: { plain: plainEnglish } } },
    languageOptions: { parserOptions: { ecmaFeatures: { jsx: true } } },
    rules: { 'own/plain': ['error', options] },
  })
  return messages.map(
    ({ line, column, message }) => `${line}:${column} ${/"(.*?)"/.exec(message)?.[1]}`,
  )
}

test('words of the old style are found in comments, also across lines', () => {
  expect(found('// Whoever asks\nconst a = 1 // runs at once')).toEqual([
    '1:4 Whoever',
    '2:21 at once',
  ])
  expect(found('/**\n * The batch goes\n * on later.\n */\nconst a = 1')).toEqual(['2:14 goes on'])
  expect(found('// It is started at\n// once.\nconst a = 1')).toEqual(['1:18 at once'])
})

test('they are found in the SQL comments of templates, not in the SQL', () => {
  expect(found('const sql = `\n  -- Looked up anew.\n  select besides from t`')).toEqual([
    '2:16 anew',
  ])
})

test('strings and JSX texts are only checked if people read them', () => {
  const code = 'const a = <p title="It goes on">Try at once</p>'
  expect(found(code)).toEqual([])
  expect(found(code, { texts: true })).toEqual(['1:24 goes on', '1:37 at once'])
})

test('longer words that contain them are accepted', () => {
  expect(found('// The canew whatevers of beside, and one that exists.\nconst a = 1')).toEqual([])
})

const ROOT = path.resolve(import.meta.dirname, '..')
/** It lists the words with their replacements. */
const GLOSSARY = 'docs/glossary.md'

test('the documents use none of them', () => {
  const documents = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join('docs', name))
    .concat('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md')
    .filter((name) => name !== GLOSSARY)
  expect(documents.length).toBeGreaterThan(60)
  const wrong = documents.flatMap((name) =>
    bannedIn(readFileSync(path.join(ROOT, name), 'utf8')).map((words) => `${name}: ${words}`),
  )
  expect(wrong).toEqual([])
})
