// The page of the viewer, in the look of the shop's other pages, and the frame of the reader. Both
// have scripts of our own; the policy forbids all others.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isViewOnly, viewKind, bareType } from '../../../files/view-kinds.ts'
import { createEncodingDetector, decoderOf } from '../../../core/encoding.ts'
import type { KnownLink } from '../counting/known-link.ts'
import type { PageLook } from '../look.ts'
import { openTemplate, sendPage, type Page } from '../pages.ts'
import { shownShop, translatorForLink } from '../refusal.ts'
import { fromPage, PAGE, relativeToPage, passedTokens } from '../request.ts'
import type { Visit } from '../response.ts'
import type { Translator } from '../translate.ts'
import type { ViewSession } from '../viewers.ts'
import type { LinkTarget } from '../targets.ts'
import { ASSETS } from './assets.ts'
import { placeName, tracksOf, type Companion, type Companions } from './playlist.ts'

interface ViewPage extends Page {
  about: string
  kind: string
  /** Under which the browser keeps the position. */
  place: string
  /** When the addresses end, in milliseconds. */
  until: number
  script: string
  image?: string
  video?: string
  subtitles?: readonly { src: string; label: string; language: string; first: boolean }[]
  tracks?: readonly ShownTrack[]
  document?: string
  reader?: string
  size?: number
  /** Where the button of the download sends a POST; absent: the file is only viewed. */
  download?: string
  /** The page of the delivery or the pack. */
  files?: string
}

interface ShownTrack {
  filename: string
  src: string
  place: string
  opened: boolean
  download?: string | undefined
}

const render = openTemplate<ViewPage>(new URL('./viewer.hbs', import.meta.url))
const style = readFileSync(new URL('./viewer.css', import.meta.url), 'utf8')

export interface OpenedView {
  link: KnownLink
  opened: Companion
  companions: Companions
  session: ViewSession
  /** When it ends. */
  until: Date
  /** The query of the address of its bytes. */
  addressOf(file: Companion): string
}

export function sendView(visit: Visit, view: OpenedView): void {
  const { request, response } = visit
  const { link, session } = view
  const t = translatorForLink(request, link)
  const shop = shownShop(link)
  const frame = { t, shop: { ...shop, look: viewerLook(shop.look) } }
  const cookie = session.cookie === null ? [] : ['Set-Cookie', session.cookie]
  sendPage(request, response, 200, render(frame, viewPage(visit, view, t)), cookie)
}

function viewPage({ request }: Visit, view: OpenedView, t: Translator): ViewPage {
  const { opened, companions, until } = view
  const { key, target } = opened
  const src = (file: Companion) => fromPage(request, `view/bytes?${view.addressOf(file)}`)
  const tokens = passedTokens(request)
  const downloadOf = (file: Companion) =>
    isViewOnly(file.target)
      ? {}
      : { download: relativeToPage(request, `download?key=${file.key}&${PAGE}${tokens}`) }
  const kind = viewKind(target.contentType)
  const page: ViewPage = {
    title: target.filename,
    about: aboutText(t, view),
    kind: kind ?? '',
    place: placeName(key),
    until: until.getTime(),
    script: fromPage(request, `${ASSETS}/player.js`),
    ...(companions.page === null
      ? {}
      : { files: relativeToPage(request, `download?key=${companions.page}${tokens}`) }),
  }
  if (kind === 'image') return { ...page, ...downloadOf(opened), image: src(opened) }
  if (kind === 'document')
    return {
      ...page,
      ...downloadOf(opened),
      document: src(opened),
      size: target.size,
      reader: fromPage(request, 'view/reader'),
    }
  if (kind === 'video') {
    const subtitles = subtitlesOf(target, companions.files)
    const first = firstSubtitles(subtitles, t.locale)
    return {
      ...page,
      ...downloadOf(opened),
      video: src(opened),
      subtitles: subtitles.map((file) => ({
        src: src(file),
        language: file.language,
        first: file === first,
        label: file.language === '' ? file.target.filename : languageName(file.language, t.locale),
      })),
    }
  }
  const tracks = tracksOf(opened, companions.files).map((file) => ({
    filename: file.target.filename,
    src: src(file),
    place: placeName(file.key),
    opened: file.key === key,
    ...downloadOf(file),
  }))
  return { ...page, tracks }
}

/** The size; of a view that was counted also when it ends, and how many are left after it. */
function aboutText(t: Translator, { opened, link }: OpenedView): string {
  const { view_limit: limit, views, viewing, look } = link
  return [
    t.size(opened.target.size),
    ...(viewing && limit !== null
      ? [
          t('views.running', { moment: t.moment(viewing, look.timeZone) }),
          t('views.leftAfter', { count: Math.max(0, limit - views) }),
        ]
      : []),
  ].join(' · ')
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')

const looks = new WeakMap<PageLook, PageLook>()

/** The shop's look with the viewer's style, and with a policy that allows its script and bytes. */
function viewerLook(look: PageLook): PageLook {
  const known = looks.get(look)
  if (known) return known
  const whole = `${look.style}\n${style}`
  // 'self' allows no uploaded file as a script: those are sent as attachments that are not sniffed.
  const policy = [
    `default-src 'none'; style-src 'sha256-${hashOf(whole)}'; script-src 'self'`,
    `img-src 'self' data:; media-src 'self'; connect-src 'self'; frame-src 'self'`,
    `base-uri 'none'; form-action ${look.formAction}; frame-ancestors 'none'`,
  ].join('; ')
  const made = { ...look, style: whole, policy }
  looks.set(look, made)
  return made
}

/**
 * The frame in which pdf.js reads a document. It has no origin, so it can reach neither cookies nor
 * addresses of this server: the page outside passes the bytes of the document in.
 */
export const READER = {
  html: `<!doctype html>
<meta charset='utf-8'>
<meta name='viewport' content='width=device-width, initial-scale=1'>
<title></title>
<link rel='stylesheet' href='../${ASSETS}/reader.css'>
<main id='pages' tabindex='0'></main>
<script type='module' src='../${ASSETS}/reader.js'></script>
`,
  policy: [
    `sandbox allow-scripts; default-src 'none'; script-src 'self' 'wasm-unsafe-eval' blob:`,
    `style-src 'self'; connect-src 'self'; worker-src blob:; font-src 'self' data:; img-src data: blob:`,
    `base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
  ].join('; '),
}

// The subtitles of a video: `.vtt` and `.srt` files of the same delivery or pack. Browsers read only
// WebVTT in UTF-8, so those of other programs are rewritten when a view loads them.

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
