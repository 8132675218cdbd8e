// Decoding: byte-order marks, zero bytes, UTF-8, and the encodings of countries; in pieces of any
// size.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { soakTest, someOf } from '../../test/scale.ts'
import { ENCODED_TABLES, TABLES } from '../../test/encoded-tables.ts'
import { encoded as written, SHORT_TABLES, shortTable } from '../../test/short-tables.ts'
import { createEncodingDetector, decode, decoderOf, type Encoding } from './encoding.ts'

const TEXT = 'filename,file_url\r\nпривет – Übung 日本語 🎈.pdf,https://example.com/ä\r\n'
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16()
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const CASES = [
  ['UTF-8', 'utf-8', TEXT, Buffer.from(TEXT)],
  ['UTF-8 with its mark', 'utf-8', TEXT, Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16 LE with its mark', 'utf-16le', TEXT, utf16(`\ufeff${TEXT}`)],
  ['UTF-16 BE with its mark', 'utf-16be', TEXT, swapped(utf16(`\ufeff${TEXT}`))],
  ['UTF-16 LE without', 'utf-16le', TEXT, utf16(TEXT)],
  ['UTF-16 BE without', 'utf-16be', TEXT, swapped(utf16(TEXT))],
  [
    'mostly Cyrillic UTF-16 LE without',
    'utf-16le',
    'имя,адрес\nпривет,мир\n',
    utf16('имя,адрес\nпривет,мир\n'),
  ],
  [
    'Windows-1252',
    'windows-1252',
    'name\nCafé “€5” – ŠžŸ\n',
    Buffer.from('6e616d650a436166e9209380359420962' + '08a9e9f0a', 'hex'),
  ],
  ['plain ASCII', 'utf-8', 'a,b\n1,2\n', Buffer.from('a,b\n1,2\n')],
  ['a stray zero', 'utf-8', 'a,b\n1,\0\n', Buffer.from('a,b\n1,\0\n')],
  ['nothing', 'utf-8', '', Buffer.alloc(0)],
] as const

async function read(bytes: Buffer, size: number) {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  const detector = createEncodingDetector()
  for (const piece of pieces) detector.add(piece)
  const { encoding } = await detector.result()
  let text = ''
  for await (const part of decode(streamed(pieces), encoding)) text += part
  return { encoding, text }
}
async function* streamed(pieces: readonly Buffer[]) {
  for (const piece of pieces) yield piece
}

/** One encoding of one byte for each letter, and one of two. */
const FEW = ['windows-1251', 'euc-kr']

describe('encoding', () => {
  it.each(CASES)('%s', async (_, encoding, text, bytes) => {
    for (const size of [1, 2, 3, 7, 10_000])
      expect(await read(bytes, size)).toEqual({ encoding, text })
  })

  it('decodes any UTF-8 text, in chunks cut anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !/[\0\ufeff]/.test(text)),
        fc.integer({ min: 1, max: 6 }),
        async (text, size) => {
          expect(await read(Buffer.from(`x${text}`), size)).toEqual({
            encoding: 'utf-8',
            text: `x${text}`,
          })
        },
      ),
      { numRuns: 200 },
    )
  })

  it('is Windows-1252 if its only character is an incomplete one of UTF-8', async () => {
    expect((await read(Buffer.from([0x61, 0xc3]), 1)).encoding).toBe('windows-1252')
  })

  it.each(someOf(ENCODED_TABLES, ([encoding]) => FEW.includes(encoding)))(
    '%s of a table in %s',
    async (label, language, table) => {
      // A few accents alone would count as Windows-1252.
      const bytes = Buffer.concat(Array<Buffer>(3).fill(Buffer.from(table, 'base64')))
      const { text } = await read(bytes, 1000)
      expect(text).toBe(new TextDecoder(label).decode(bytes))
      // Transliterated quotes and dashes differ.
      expect(text.slice(0, 20)).toBe(TABLES[language]!.slice(0, 20))
    },
  )

  it.each([
    ['a bad byte', Buffer.from([0xfc])],
    ['half a character', Buffer.from([0xe2, 0x80])],
  ])('stays UTF-8 with %s in one row', async (_, bad) => {
    const row = Buffer.from('Übungsheft für Müller.pdf,https://example.com/1\n')
    const file = Buffer.concat([row, bad, Buffer.from('bung.pdf,x\n'), row])
    for (const size of [1, 7, 10_000]) {
      const { encoding, text } = await read(file, size)
      expect(encoding).toBe('utf-8')
      expect(text).toContain('Müller')
      expect(text).toContain('\ufffd')
    }
  })

  it('does not take an accent and the letter after it for one Chinese character', async () => {
    const file = Buffer.from('\xdcbersicht-1.pdf,https://a.example/b\n'.repeat(12), 'latin1')
    expect((await read(file, 1000)).text).toContain('Übersicht')
  })

  const encoded = (text: string, encoding: Encoding) => {
    const bytes = new Map(
      Array.from({ length: 256 }, (_, byte) => [
        decoderOf(encoding).decode(Buffer.from([byte])),
        byte,
      ]),
    )
    return Buffer.from(
      Array.from(text, (character) => bytes.get(character) ?? expect.fail(character)),
    )
  }
  it.each(
    someOf<[Encoding, string]>(
      [
        ['ibm850', 'Übung für Anfänger.pdf,x\n'],
        ['ibm850', 'Größen.pdf,x\n'],
        ['ibm850', 'élève.pdf,été\nà Besançon.pdf,forêt\n'],
        ['ibm850', 'Guía de España.pdf,x\n'],
        ['ibm850', 'Übungsheft.pdf,Grüße aus München,Schüler\n'.repeat(300)],
        ['macintosh', 'Café Müller.pdf,x\n'],
        ['macintosh', 'Grüße.pdf,El Niño\n'],
        ['macintosh', 'Übungsheft für Anfänger;Größe M, „alt“\n'],
        ['macintosh', 'Guía.pdf,El Niño,canción\n'.repeat(20)],
        ['macintosh', 'België.pdf,ideeën\n'],
        ['macintosh', 'história.pdf,política\n'],
        ['macintosh', 'Noël.pdf,hôtel\nîle.pdf,x\n'],
        ['ibm852', 'Ćwiczenia z żółtą książką.pdf,Łódź\n'],
        ['ibm852', 'Příručka.pdf,Česká řeč\n'.repeat(50)],
        ['windows-1252', 'Grüße aus Škoda-Straße.pdf,naïve\n'],
        ['windows-1252', '“word” – ‘x’, „Wort“ … l’été.pdf,Œuvre © 2026\n'],
        ['windows-1252', 'Ñandú.pdf,¿Qué?,5 €\n'],
        ['windows-1252', 'Ärzte.pdf,x\n'],
        ['windows-1252', `${'Kid’s Planner.pdf,x\n'.repeat(40)}Mother–Daughter.pdf,x\n`],
        ['windows-1252', `${'Kid’s Planner.pdf,x\n'.repeat(40)}Mother—Daughter.pdf,x\n`],
        ['windows-1252', 'Kid’s Print A×B.pdf,x\n'.repeat(20)],
        ['windows-1252', 'Hawai‘i.pdf,x\n'.repeat(20)],
        ['windows-1252', 'Kid‘s Levi‘s.pdf,rock‘n’roll\n'.repeat(20)],
        ['windows-1252', 'iPhone™ Pad™s Brand®.pdf,“the one”\n'],
        ['windows-1252', 'GUíA DE ESPAñA.pdf,x\n'.repeat(20)],
        ['windows-1252', 'word—word.pdf,x\n'],
        ['windows-1252', 'Café–Bar A·B.pdf,x\n'],
        ['windows-1252', 'A·B.pdf,x\n'],
        ['windows-1252', '5µl.pdf,¥500\n'],
        ['windows-1252', 'Joe’s “Best” — it’s 1½ cups • café.pdf\n'.repeat(40)],
        ['windows-1252', 'CAFÉ A×B.pdf,L’Œuvre à la carte\n'.repeat(20)],
        ['windows-1252', 'NIñOS.pdf,word†\n'],
        ['windows-1252', `${'Kid’s Café – 20% off.pdf,x\n'.repeat(4)}Menü—Größe A×B.pdf\n`],
      ],
      (_, at) => at % 6 === 0,
    ),
  )('%s: %j', async (encoding, text) => {
    expect(await read(encoded(text, encoding), 1000)).toEqual({ encoding, text })
  })

  it.each(someOf(SHORT_TABLES, ([encoding], at) => FEW.includes(encoding) && at % 4 === 0))(
    '%s: a short table in %s',
    async (encoding, _, names) => {
      for (const times of [1, 2]) {
        const table = shortTable(names).repeat(times)
        // Windows-1258 writes tones as marks.
        expect((await read(written(table, encoding), 1000)).text.normalize('NFC')).toBe(table)
      }
    },
  )

  soakTest('reads most tables of a single name', async () => {
    const single = SHORT_TABLES.flatMap(([encoding, , names]) =>
      names.flatMap((name) => (/^[\0-\x7f]*$/.test(name) ? [] : [[encoding, name] as const])),
    )
    const read1 = await Promise.all(
      single.map(async ([encoding, name]) => {
        const table = shortTable([name])
        return (await read(written(table, encoding), 1000)).text.normalize('NFC') === table
      }),
    )
    // 95 before Firefox's detector was asked.
    expect([read1.filter(Boolean).length >= 133, single.length]).toEqual([true, 152])
  })

  it('is unsure of a file with a few letters, and sure of one with many', async () => {
    const sureOf = async (bytes: Buffer) => {
      const detector = createEncodingDetector()
      detector.add(bytes)
      return detector.result()
    }
    expect(await sureOf(Buffer.from('Gr\xfc\xdfe.pdf,x\n', 'latin1'))).toEqual({
      encoding: 'windows-1252',
      sure: false,
    })
    const [, , russian] = ENCODED_TABLES.find(([label]) => label === 'windows-1251')!
    expect(await sureOf(Buffer.from(russian, 'base64'))).toEqual({
      encoding: 'windows-1251',
      sure: true,
    })
    const english = Buffer.from('Kid\x92s Planner \x96 A\xd7B.pdf,x\n'.repeat(20), 'latin1')
    expect(await sureOf(english)).toEqual({ encoding: 'windows-1252', sure: true })
    const kit = `${'Kid’s kit.pdf,x\n'.repeat(100)}Planner–a guide.pdf,x\n`
    expect((await sureOf(encoded(kit, 'windows-1252'))).sure).toBe(true)
    const brand = 'Brand™ “word”.pdf,x\n'.repeat(20)
    expect((await sureOf(encoded(brand, 'windows-1252'))).sure).toBe(true)
    // Signs that either encoding may have.
    const either = Buffer.from('A\xd7B \x96 c.pdf,x\n'.repeat(20), 'latin1')
    expect((await sureOf(either)).sure).toBe(false)
    expect(await sureOf(Buffer.from('name,url\n'))).toEqual({ encoding: 'utf-8', sure: true })
  })
})
