import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import plainEnglish, { bannedIn } from '../lint/plain-english.js'
import { ruleTester } from './lint-rules.ts'

/** Code in which the rule finds words, each as line, column (from 0) and the words. */
const found = (code: string, ...words: [line: number, column: number, found: string][]) => ({
  code,
  errors: words.map(([line, column, word]) => ({
    message: new RegExp(`^"${word}" is not plain English here`),
    line,
    column,
  })),
})
const ELEMENT = 'const a = <p title="It goes on">Try at once</p>'
const inTexts = { options: [{ texts: true }] }

ruleTester.run('plain-english', plainEnglish, {
  valid: [
    {
      name: 'longer words that contain them',
      code: '// The canew whatevers of beside, and one that exists.\nconst a = 1',
    },
    { name: 'strings and JSX texts that nobody reads', code: ELEMENT },
  ],
  invalid: [
    {
      name: 'comments',
      ...found(
        '// Whoever asks\nconst a = 1 // runs at once',
        [1, 3, 'Whoever'],
        [2, 20, 'at once'],
      ),
    },
    {
      name: 'across lines of a block',
      ...found('/**\n * The batch goes\n * on later.\n */\nconst a = 1', [2, 13, 'goes on']),
    },
    {
      name: 'across lines of comments',
      ...found('// It is started at\n// once.\nconst a = 1', [1, 17, 'at once']),
    },
    {
      name: 'SQL comments of templates, not the SQL',
      ...found('const sql = `\n  -- Looked up anew.\n  select besides from t`', [2, 15, 'anew']),
    },
    {
      name: 'strings and JSX texts that people read',
      ...inTexts,
      ...found(ELEMENT, [1, 23, 'goes on'], [1, 36, 'at once']),
    },
  ],
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
