// Texts with values in another language, found by the message that they were made from. The
// messages are those of the server: a text changed only there is reported by name.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import de from './de.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import { IMPORT_TEXTS } from './import-texts.ts'
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
  ['The files of order #1001 are held', 'Die Dateien der Bestellung #1001 werden zurückgehalten'],
  [
    'The platform advises to cancel it. The buyer gets the files once you release the delivery under Deliveries; revoke it there if you refuse the order.',
    'Die Plattform rät, sie zu stornieren. Der Käufer bekommt die Dateien, sobald du die Lieferung unter Lieferungen freigibst; widerrufe sie dort, wenn du die Bestellung ablehnst.',
  ],
  [
    'Their link has expired.\nThey write: It was. Really.',
    'Der Link ist abgelaufen.\nDie Nachricht: It was. Really.',
  ],
  ['Tag files partly complete', 'Dateien taggen: teilweise fertig'],
  ['2 of 3 files imported, 1 failed.', '2 von 3 Dateien importiert, 1 fehlgeschlagen.'],
  [
    '3 of 4 files imported, 1 failed. Not mapped: a.pdf. Open the URLs that were not accessible in a private browser window. If they open, choose Retry Failed. Otherwise correct them and import those files again.',
    '3 von 4 Dateien importiert, 1 fehlgeschlagen. Ohne Produkt: a.pdf. Öffne die nicht erreichbaren URLs in einem privaten Browserfenster. Wenn sie sich öffnen, wähle „Fehlgeschlagene wiederholen“. Andernfalls korrigiere sie und importiere diese Dateien erneut.',
  ],
  ['A link for each file, valid 30 days', 'Ein Link für jede Datei, 30 Tage gültig'],
  ['Row 7: The file is empty', 'Zeile 7: Die Datei ist leer'],
  [
    'The server answered 404: file not found',
    'Der Server hat mit 404 geantwortet: Datei nicht gefunden',
  ],
  [
    'A CSV file has at most 50,000 rows: split it',
    'Eine CSV-Datei hat höchstens 50.000 Zeilen: teile sie auf',
  ],
  [
    'Import of “prices.csv” by the schedule “Nightly” partly complete',
    'Import von „prices.csv“ durch den Zeitplan „Nightly“: teilweise fertig',
  ],
  ['Sync of “Gallery” complete', 'Synchronisierung von „Gallery“: fertig'],
  [
    '1 of 55 files imported, 2 moved to the trash, 51 sent, 1 skipped.',
    '1 von 55 Dateien importiert, 2 in den Papierkorb gelegt, 51 gesendet, 1 übersprungen.',
  ],
  ['Its name is 93 % like the title', 'Der Name gleicht dem Titel zu 93 %'],
  ['Adds summer, sale', 'Fügt summer, sale hinzu'],
  [
    'Its name ends in PDF, but it is an image: check that it is the right file',
    'Der Name endet auf PDF, es ist aber ein Bild: Prüfe, ob es die richtige Datei ist',
  ],
  ['A text of a plugin of this installation', 'A text of a plugin of this installation'],
])('%s', (text, german) => {
  expect(serverText(text)).toBe(german)
})

test('a translation may put the words before the figures', () => {
  setCatalog(fr)
  expect(serverText('2 of 3 files imported, 1 failed. Nothing is left to do.')).toBe(
    'Fichiers importés\u00A0: 2 sur 3, en échec\u00A0: 1. Il ne reste rien à faire.',
  )
  setCatalog(de)
})

/** Joins strings that are written on several lines. */
const sourcesIn = (folder: string): string =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'))
    .join('\n')
    .replaceAll(/['`] \+\s*['`]/g, '')

test('each text about imports is one of the server’s', () => {
  const sources = (sourcesIn('server') + sourcesIn('plugins')).replaceAll('\\\\', '\\')
  // The server composes some of them from parts.
  const parts = (text: string) => (sources.includes(text) ? [] : text.split(': '))
  expect(
    IMPORT_TEXTS.filter((text) => parts(text).some((part) => !sources.includes(part))),
  ).toEqual([])
})

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

test('the sample connection has a name in the page’s language', () => {
  expect(serverText('“Sample folder/manuals” could not be synced')).toContain(
    '„Beispielordner/manuals“',
  )
  expect(serverText('“Sample folders” could not be synced')).toContain('„Sample folders“')
})
