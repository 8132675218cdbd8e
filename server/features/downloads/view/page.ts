// The page of the viewer, in the look of the shop's other pages, and the frame of the reader. Both
// have scripts of our own; the policy forbids all others.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { KnownLink } from '../counting/known-link.ts'
import type { PageLook } from '../look.ts'
import { openTemplate, sendPage, type Page } from '../pages.ts'
import { shownShop, translatorForLink } from '../refusal.ts'
import { fromPage, PAGE, relativeToPage, passedTokens } from '../request.ts'
import type { Visit } from '../response.ts'
import type { Translator } from '../translate.ts'
import type { ViewSession } from '../viewers.ts'
import { ASSETS } from './assets.ts'
import { isViewOnly, viewKind } from '../../../files/view-kinds.ts'
import { placeName, tracksOf, type Companion, type Companions } from './playlist.ts'
import { firstSubtitles, languageName, subtitlesOf } from './subtitles.ts'

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
