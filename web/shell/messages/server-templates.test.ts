// Texts with values in another language, found by the message that they were made from. The
// messages are those of the server: a text changed only there is reported by name.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import de from './de.json' with { type: 'json' }
import { setPageLocale } from './locale.ts'
import { serverText } from './server-templates.ts'
import { SERVER_TEMPLATES } from './server-texts.ts'
import { setCatalog } from './t.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')

beforeAll(() => {
  setCatalog(de)
  setPageLocale('de')
})
afterAll(() => {
  setCatalog({})
  setPageLocale(undefined)
})

test.each([
  [
    'The server answered 404: file not found',
    'Der Server hat mit 404 geantwortet: Datei nicht gefunden',
  ],
  ['Its name is 93 % like the title', 'Der Name gleicht dem Titel zu 93 %'],
  ['A text of a plugin of this installation', 'A text of a plugin of this installation'],
])('%s', (text, german) => {
  expect(serverText(text)).toBe(german)
})

/** Joins strings that are written on several lines. */
const sourcesIn = (folder: string): string =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'))
    .join('\n')
    .replaceAll(/['`] \+\s*['`]/g, '')

test('each message is one of the server’s', () => {
  const sources = sourcesIn('server') + sourcesIn('plugins')
  const missing = SERVER_TEMPLATES.filter((message) =>
    message
      .split(/\{\w+\}/)
      // The server composes some of them from parts.
      .flatMap((part) => part.split(/[“”,:.]| (?:or|the|in|of|by)(?= |$)/))
      .some((part) => part.trim().length > 6 && !sources.includes(part.trim())),
  )
  expect(missing).toEqual([])
})
