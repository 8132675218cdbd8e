// The file in a form, for every way to split the form into chunks, and invalid forms.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundaryIn, openFormFile } from './form-csv.ts'

const part = (disposition: string, body: string) =>
  `--B\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: text/csv\r\n\r\n${body}\r\n`

async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(text: string, size = 5) {
  const file = await openFormFile(cut(text, size), 'B')
  if (!file) return null
  const pieces: Buffer[] = []
  for await (const piece of file.bytes) pieces.push(piece)
  return { filename: file.filename, text: Buffer.concat(pieces).toString() }
}

describe('a form', () => {
  it('returns its file, with any content, cut anywhere', async () => {
    const body = fc.string({ unit: fc.constantFrom('\r', '\n', '-', 'B', 'x', 'ü'), maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(
        body.filter((text) => !`\r\n${text}\r\n`.includes('\r\n--B')),
        fc.integer({ min: 1, max: 50 }),
        async (text, size) => {
          const form = `${part('name="note"', 'x')}${part('name="file"; filename="a.csv"', text)}${part('name="z"', 'z')}--B--\r\n`
          expect(await read(form, size)).toEqual({ filename: 'a.csv', text })
        },
      ),
      { numRuns: 300 },
    )
  })

  it('names its file', async () => {
    const named = async (disposition: string) =>
      (await read(`${part(disposition, '')}--B--`))!.filename
    expect(await named('name="file"; filename="Übersicht 1.csv"')).toBe('Übersicht 1.csv')
    expect(await named('name="file"; filename="a%22b\\"c.csv"')).toBe('a"b"c.csv')
    expect(await named('name=file; filename=plain.csv')).toBe('plain.csv')
    // Older urllib3 of Python, .NET, and a client that sends both.
    expect(await named("name=file; filename*=utf-8''%C3%9Cber%20sicht.csv")).toBe('Über sicht.csv')
    expect(await named('name=file; filename="=?utf-8?B?w5xiZXIuY3N2?="')).toBe('Über.csv')
    expect(await named("name=file; filename=_.csv; filename*=UTF-8''%C3%9C.csv")).toBe('Ü.csv')
    expect(await named("name=file; filename=_.csv; filename*=UTF-8''%9C.csv")).toBe('_.csv')
  })

  it('without a file returns none, and a truncated one is refused', async () => {
    expect(await read(`${part('name="note"', 'x')}--B--\r\n`)).toBe(null)
    const whole = part('name="file"; filename="a.csv"', 'abc')
    for (const length of [1, 20, 60, whole.length - 2])
      await expect(read(whole.slice(0, length))).rejects.toMatchObject({
        code: 'malformed_request',
      })
    await expect(read('x'.repeat(100_000))).rejects.toMatchObject({ code: 'malformed_request' })
  })

  it('declares where its parts end', () => {
    expect(boundaryIn('multipart/form-data; boundary=abc')).toBe('abc')
    expect(boundaryIn('multipart/form-data; charset=utf-8; boundary="a b"')).toBe('a b')
    expect(boundaryIn('multipart/form-data')).toBe(null)
  })
})
