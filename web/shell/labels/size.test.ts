import { describe, expect, onTestFinished, test } from 'vitest'
import { setCatalog } from '../messages/t.ts'
import { inSentence, savedText, scoreText, sizeText } from './size.ts'

describe('sizes', () => {
  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1,023 bytes'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [10_240, '10 KB'],
    [1024 ** 2 - 1, '1 MB'],
    [500 * 1024 ** 2, '500 MB'],
    [5 * 1024 ** 3, '5 GB'],
    [3000 * 1024 ** 4, '3,000 TB'],
  ])('%d is %s', (bytes, text) => expect(sizeText(bytes, 'en-GB')).toBe(text))

  test('follow the language', () => {
    expect(sizeText(1536, 'de-DE')).toBe('1,5 KB')
    expect(sizeText(1536, 'es-ES')).toBe('1,5 KB')
    setCatalog({ '{size} KB': '{size} Ko' })
    onTestFinished(() => setCatalog({}))
    expect(sizeText(1536, 'fr-FR')).toBe('1,5 Ko')
  })
})

test('a label inside a sentence is written in lower case in English, French, Portuguese and Spanish, without its abbreviations', () => {
  const labels = ['Host', 'Port for SFTP', 'FTP upload']
  expect(labels.map((label) => inSentence(label, 'en-GB'))).toEqual([
    'host',
    'port for SFTP',
    'FTP upload',
  ])
  expect(inSentence('Nombre de usuario', 'es')).toBe('nombre de usuario')
  expect(inSentence('Nom d’utilisateur', 'fr')).toBe('nom d’utilisateur')
  expect(inSentence('Nome de usuário', 'pt')).toBe('nome de usuário')
  expect(inSentence('Benutzername', 'de')).toBe('Benutzername')
})

test('only complete certainty is 100 %', () => {
  expect([1, 0.999, 0.8, 0].map(scoreText)).toEqual(['100%', '99%', '80%', '0%'])
})

test('the saving, if any', () => {
  expect([
    savedText(1000, 260),
    savedText(1000, 999),
    savedText(1000, 1000),
    savedText(undefined, 5),
  ]).toEqual(['74% less', 'under 1% less', null, null])
})
