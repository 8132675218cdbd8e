import { expect, test } from 'vitest'
import type { Companion } from './playlist.ts'
import type { LinkTarget } from '../targets.ts'
import { firstSubtitles, languageName, subtitlesOf, webVttOf } from './page.ts'

const SRT = `1
00:00:01,000 --> 00:00:02,500 X1:40 X2:600
{\\an8}Où est <i>Zoë</i>?

2
1:02:3,5 --> 1:02:04,25
Là-bas, à Málaga — 10 --> 20, <font color="#fff">I <3 you</font>
`
const WRITTEN = `WEBVTT

1
00:00:01.000 --> 00:00:02.500
Où est <i>Zoë</i>?

2
01:02:03.500 --> 01:02:04.250
Là-bas, à Málaga — 10 --&gt; 20, I &lt;3 you
`
const VTT = 'WEBVTT - Übung\n\n00:01.000 --> 00:02.000 align:start\nGrüße\n'

test.each([
  ['SubRip', Buffer.from(SRT), WRITTEN],
  [
    'with a byte-order mark and CRLF',
    Buffer.from(`\ufeff${SRT.replaceAll('\n', '\r\n')}`),
    WRITTEN,
  ],
  ['of Windows', Buffer.from(SRT.replaceAll('—', '-'), 'latin1'), WRITTEN.replaceAll('—', '-')],
  ['in UTF-16', Buffer.from(`\ufeff${SRT}`, 'utf16le'), WRITTEN],
  [
    'SubRip with the name of WebVTT',
    Buffer.from('1\n00:01,5 --> 00:02,000\na'),
    'WEBVTT\n\n1\n00:00:01.500 --> 00:00:02.000\na',
  ],
  ['WebVTT', Buffer.from(VTT), VTT],
  ['WebVTT with a mark', Buffer.from(`\ufeff${VTT}`), VTT],
  ['WebVTT in Latin-1', Buffer.from(VTT, 'latin1'), VTT],
  ['nothing', Buffer.alloc(0), 'WEBVTT\n\n'],
])('%s becomes WebVTT in UTF-8', async (_, bytes, written) => {
  expect(await webVttOf(bytes)).toBe(written)
})

const file = (filename: string): Companion => {
  const contentType = filename.endsWith('.srt') ? 'application/x-subrip' : 'text/vtt'
  const target = { filename, contentType, size: 100 } as LinkTarget
  return { key: filename, target, gate: null, viewing: null }
}
const FILES = [
  'Film.fr.vtt',
  'film.srt',
  'Film.de-AT.srt',
  'Film.fr.srt',
  'Film 2.vtt',
  'Film.x y.vtt',
  'Film.txt',
]

test('a video has the subtitles with its name, each language once', () => {
  const video = { filename: 'Film.mp4' } as LinkTarget
  const found = subtitlesOf(video, FILES.map(file))
  expect(found.map(({ key, language }) => [key, language])).toEqual([
    ['Film.fr.vtt', 'fr'],
    ['film.srt', ''],
    ['Film.de-AT.srt', 'de-AT'],
  ])
  const first = (locale: string) => firstSubtitles(found, locale)?.key
  expect([first('de'), first('fr'), first('ja')]).toEqual([
    'Film.de-AT.srt',
    'Film.fr.vtt',
    'film.srt',
  ])
  expect(firstSubtitles([], 'en')).toBeUndefined()
})

test('languages are named in the language of the buyer', () => {
  expect(languageName('de', 'de')).toBe('Deutsch')
  expect(languageName('fr', 'fr')).toBe('Français')
  expect(languageName('en-abc', 'en')).toBe('En-abc')
})
