// One term for one thing in all texts for users: the page, mails, pages of buyers, the API and the
// docs.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..')
const TEXTS = ['web', 'server', 'plugins', 'workflows', 'docs']
const BUILT = ['web/dist', 'docs/decisions', 'docs/images']
/** Texts in other languages. */
const FOREIGN = /^server\/features\/downloads\/texts\/(?!en\.ts)/

const FORBIDDEN = [
  { word: /e-mail/i, instead: 'email' },
  {
    word: /\b(generat|mak)(e|es|ing) (a |new |all )?(download )?links?\b/i,
    instead: 'create links',
  },
]

function* textsIn(folder: string): Generator<string> {
  for (const entry of readdirSync(path.join(ROOT, folder), { withFileTypes: true })) {
    const file = path.posix.join(folder, entry.name)
    if (entry.isDirectory() && !BUILT.includes(file)) yield* textsIn(file)
    else if (/(?<!\.test)\.(ts|tsx|hbs|txt|md)$/.test(entry.name) && !FOREIGN.test(file)) yield file
  }
}

/** Users do not read comments. */
const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line)

test('email is written without a hyphen, and links are created', () => {
  const files = ['README.md', ...TEXTS.flatMap((folder) => [...textsIn(folder)])]
  const wrong = files.flatMap((file) =>
    readFileSync(path.join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        isComment(line)
          ? []
          : FORBIDDEN.flatMap(({ word, instead }) =>
              word.test(line) ? [`${file}:${at + 1}: ${instead}`] : [],
            ),
      ),
  )
  expect(wrong).toEqual([])
})
