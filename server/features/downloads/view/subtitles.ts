// The subtitles of a video: `.vtt` and `.srt` files of the same delivery or pack. Browsers read only
// WebVTT in UTF-8, so those of other programs are rewritten when a view loads them.
import { createEncodingDetector, decoderOf } from '../../../core/encoding.ts'
import { bareType } from '../../../files/view-kinds.ts'
import type { LinkTarget } from '../targets.ts'
import type { Companion } from './playlist.ts'

interface Subtitles extends Companion {
  /** A language tag from the name, `en` of `Lesson 1.en.vtt`; '' if it has none. */
  language: string
}

const ENDING = /\.(vtt|srt)$/i
const LANGUAGE = /^(?:\.([a-z]{2,3}(?:-[a-z0-9]{2,8})?))?$/i
const TYPES = ['text/vtt', 'application/x-subrip', 'text/plain']
/** Two hours of speech have about 150 KB. */
const MAX_BYTES = 4 * 1024 ** 2

/** Are these bytes subtitles, which a view of the video beside them reads? */
export const isSubtitles = ({ filename, contentType, size }: LinkTarget): boolean =>
  ENDING.test(filename) && TYPES.includes(bareType(contentType)) && size <= MAX_BYTES

/**
 * The subtitles of a video: `Lesson 1.vtt` or `Lesson 1.en.srt` of `Lesson 1.mp4`. Of two files of one
 * language, the first counts.
 */
export function subtitlesOf(video: LinkTarget, files: readonly Companion[]): readonly Subtitles[] {
  const name = video.filename.replace(/\.[^.]*$/, '').toLowerCase()
  const byLanguage = new Map<string, Subtitles>()
  for (const file of files) {
    const base = file.target.filename.replace(ENDING, '')
    if (!isSubtitles(file.target) || !base.toLowerCase().startsWith(name)) continue
    const [rest, language = ''] = LANGUAGE.exec(base.slice(name.length)) ?? []
    const key = language.toLowerCase()
    if (rest !== undefined && !byLanguage.has(key)) byLanguage.set(key, { ...file, language })
  }
  return [...byLanguage.values()]
}

/** Those that are shown first: of the buyer's language, else those that name none, else the first. */
export function firstSubtitles(all: readonly Subtitles[], locale: string): Subtitles | undefined {
  const of = (wanted: string) =>
    all.find(({ language }) => language.toLowerCase().split('-', 1)[0] === wanted)
  return of(locale) ?? of('') ?? all[0]
}

/** The name of a language in the buyer's one, `Deutsch` for `de`; of an unknown one its tag. */
export function languageName(tag: string, locale: string): string {
  const name = nameOf(tag, locale) ?? tag
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
}

/** `a.the-end.vtt` has no language, but looks as if. */
function nameOf(tag: string, locale: string): string | undefined {
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(tag)
  } catch {
    return undefined
  }
}

/** The bytes of subtitles as WebVTT. */
export async function webVttOf(bytes: Buffer): Promise<string> {
  const detector = createEncodingDetector()
  detector.add(bytes)
  const { encoding } = await detector.result()
  const text = decoderOf(encoding).decode(bytes).replace(/\r\n?/g, '\n')
  return /^WEBVTT(?:[ \t\n]|$)/.test(text)
    ? text
    : `WEBVTT\n\n${text.split('\n').map(cueLine).join('\n')}`
}

const TIME = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})`
/** `1:02:03,5 --> 1:02:06,000`, and after it a position in pixels, which WebVTT does not have. */
const TIMES = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s.*)?$`)
/** Positions and fonts of other formats, like `{\an8}`. */
const CODES = /\{\\[^{}\n]*\}/g

/** WebVTT has no fonts, and reads every other `<` as the beginning of a tag. */
const FONTS = /<\/?font\b[^<>]*>/gi
const BARE = /<(?!\/?[biu]>)/gi

function cueLine(line: string): string {
  const times = TIMES.exec(line)?.slice(1)
  if (!times)
    return line
      .replace(CODES, '')
      .replace(FONTS, '')
      .replace(BARE, '&lt;')
      .replaceAll('-->', '--&gt;')
  const [from, to] = [times.slice(0, 4), times.slice(4)].map(webVttTime)
  return `${from} --> ${to}`
}

function webVttTime([hours = '0', minutes = '', seconds = '', rest = '']: string[]): string {
  const two = (digits: string) => digits.padStart(2, '0')
  return `${two(hours)}:${two(minutes)}:${two(seconds)}.${rest.padEnd(3, '0')}`
}
