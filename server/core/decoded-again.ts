// Texts of UTF-8 that a program has read in another encoding and stored: `MÃ¼ller`, or `M√ºller` by
// Excel for Mac.
import { isUtf8 } from 'node:buffer'

/** The encodings in which spreadsheets open a file of UTF-8 that has no mark. */
const READ_AS = ['windows-1252', 'macintosh'] as const

const inverses = READ_AS.map((encoding) => {
  const decoder = new TextDecoder(encoding)
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  return new Map(bytes.map((byte) => [decoder.decode(Buffer.from([byte])), byte]))
})

/** The text as it was before it was read in a wrong encoding; null: it was not. */
export function decodedAgain(text: string): string | null {
  if (!/[^\u0000-\u007f]/.test(text)) return null
  for (const inverse of inverses) {
    const bytes = Buffer.from(Array.from(text, (character) => inverse.get(character) ?? -1))
    const isWhole = Array.from(text).every((character) => inverse.has(character))
    if (isWhole && isUtf8(bytes)) return bytes.toString('utf8')
  }
  return null
}
