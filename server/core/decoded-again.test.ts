import { expect, it } from 'vitest'
import { decodedAgain } from './decoded-again.ts'

const readAs = (text: string, encoding: string) =>
  new TextDecoder(encoding).decode(Buffer.from(text))

it.each(['Müller.pdf', 'l’été – naïve', 'Übungsheft', '日本語', 'à la carte'])(
  '%s is found in what programs have made of it',
  (text) => {
    for (const encoding of ['windows-1252', 'macintosh'])
      expect(decodedAgain(readAs(text, encoding))).toBe(text)
  },
)

it.each(['Müller.pdf', 'a.pdf', 'Ärzte © 2026', 'São Paulo', 'ÃO', '日本語', '√2', ''])(
  '%s is right',
  (text) => {
    expect(decodedAgain(text)).toBeNull()
  },
)
