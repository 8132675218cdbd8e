// Texts of the server in the page's language.
import { afterAll, beforeAll, expect, it } from 'vitest'
import de from './de.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import { setPageLocale } from './locale.ts'
import { shownText, type ServerText } from './server-text.ts'
import { setCatalog } from './t.ts'

beforeAll(() => {
  setCatalog(de)
  setPageLocale('de')
})
afterAll(() => {
  setCatalog({})
  setPageLocale(undefined)
})

it('writes texts in texts, plurals and numbers', () => {
  const headline = {
    message: '{done} of {total, plural, one {# file} other {# files}} {what}',
    values: { done: 1200, total: 1204, what: { message: 'imported', values: {} } },
  }
  expect(shownText(headline)).toBe('1.200 von 1.204 Dateien importiert')
  expect(shownText({ ...headline, values: { ...headline.values, done: 1, total: 1 } })).toBe(
    '1 von 1 Datei importiert',
  )
})

const text = (message: string, values: ServerText['values'] = {}): ServerText => ({
  message,
  values,
})

const joined = (message: string, ...[first, second]: [ServerText, ServerText]): ServerText =>
  text(message, { first, second })

it.each([
  [
    text('The files of order {order} are held', { order: '#1001' }),
    'Die Dateien der Bestellung #1001 werden zurückgehalten',
  ],
  [
    joined(
      '{first}\n{second}',
      text('Their link has expired.'),
      text('They write: {message}', { message: 'It was. Really.' }),
    ),
    'Der Link ist abgelaufen.\nDie Nachricht: It was. Really.',
  ],
  [
    text('{title} partly complete', { title: text('Tag files') }),
    'Dateien taggen: teilweise fertig',
  ],
  [
    text('{title} partly complete', {
      title: text('{title} by the schedule “{name}”', {
        title: text('{title} of “{label}”', {
          title: { ...text('Import'), context: 'noun' },
          label: 'prices.csv',
        }),
        name: 'Nightly',
      }),
    }),
    'Import von „prices.csv“ durch den Zeitplan „Nightly“: teilweise fertig',
  ],
  [
    joined(
      '{first}, {second}',
      text('A link for each file'),
      text('valid {days, plural, one {# day} other {# days}}', { days: 30 }),
    ),
    'Ein Link für jede Datei, 30 Tage gültig',
  ],
  [text('Adds {tags}', { tags: 'summer, sale' }), 'Fügt summer, sale hinzu'],
  [
    text('Its name ends in {extension}, but it is {what}: check that it is the right file', {
      extension: 'PDF',
      what: text('a {format} file', { format: 'PNG' }),
    }),
    'Der Name endet auf PDF, es ist aber eine PNG-Datei: Prüfe, ob es die richtige Datei ist',
  ],
])('%#', (given, german) => {
  expect(shownText(given)).toBe(german)
})

it('may put the words before the figures', () => {
  setCatalog(fr)
  const done = text('{done} of {total, plural, one {# file} other {# files}} {what}', {
    done: 2,
    total: 3,
    what: text('imported'),
  })
  expect(shownText(joined('{first}, {second}', done, text('{count} failed', { count: 1 })))).toBe(
    'Fichiers importés\u00A0: 2 sur 3, en échec\u00A0: 1',
  )
  setCatalog(de)
})

it('shows names and texts that the catalog lacks as they are', () => {
  const named = { message: '{name} and {count} more', values: { name: '{a}  b', count: 2 } }
  expect(shownText(named)).toBe('{a}  b und 2 weitere')
  expect(shownText({ message: '{text}', values: { text: 'Import' } })).toBe('Import')
  expect(shownText({ message: 'A text of a plugin', values: {} })).toBe('A text of a plugin')
  expect(shownText({ message: '{missing}', values: {} })).toBe('{missing}')
})
