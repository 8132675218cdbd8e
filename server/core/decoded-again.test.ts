import { expect, it } from 'vitest'
import { decodedAgain } from './decoded-again.ts'

const readAs = (text: string, encoding: string) =>
  new TextDecoder(encoding).decode(Buffer.from(text))

const WRITTEN = [
  'Müller.pdf',
  'l’été – naïve',
  'Übungsheft',
  '日本語',
  'à la carte',
  'Привет',
  'Война и мир',
  'Καλημέρα',
  'שלום',
  'café ★ 5 €',
  'mu\u0308ller',
  'SMÅLAND',
  'și țară',
  'Tシャツ型紙',
]
it.each(WRITTEN)('%s is found in what programs have made of it', (text) => {
  for (const encoding of ['windows-1252', 'macintosh'])
    expect(decodedAgain(readAs(text, encoding))).toBe(text)
})

const RIGHT = [
  'Müller.pdf',
  'a.pdf',
  'Ärzte © 2026',
  'São Paulo',
  'ÃO',
  '日本語',
  '√2',
  '',
  'L’école',
  'd’évaluation',
  'l’île',
  '“Über uns”',
  '“Über',
  'Guide\u00a0à',
  'Strauß’',
  'ROSÉ®',
  'Spaß…',
  'NESCAFÉ® Guide',
  'CAFÉ’S MENU',
  'BEYONCÉ’S',
  'ROSÉ™',
  'MENÜ’S',
  'Hiver–Éveil',
  'Hiver –Éveil',
  'Plan –à faire',
  'KESÄ…',
  'MANHÃ®',
  'GRÅ–BLÅ',
  'COSÌ…',
  'CAFFÈ™',
  'Café®™',
  'Café”…',
  'på”…',
  'NIÑ…',
  'HAÏ’',
  'l’«école»',
  'Suite…École',
  'A’É',
]
it.each(RIGHT)('%s is right', (text) => {
  expect(decodedAgain(text)).toBeNull()
})

it('a Latin letter beside a sign or another letter is right, except those of UTF-8 itself', () => {
  const letters = Array.from('àáâäåæçèéêëìíîïñòóôöøùúûüßÀÁÇÉÊËÌÍÎÏÑÒÓÔÖØÙÚÛÜŒœŸ')
  const signs = Array.from('…’‘“”«–—®™\u00a0')
  const wrong = letters.flatMap((letter) =>
    signs.flatMap((sign) =>
      [
        `PRÊT${letter}${sign}`,
        `VOL${letter}${sign} x`,
        `mot${sign}${letter}`,
        `mot ${sign}${letter}bc`,
      ].filter((text) => decodedAgain(text) !== null),
    ),
  )
  expect(wrong).toEqual([])
})
