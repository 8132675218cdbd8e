// The page behind a pack's link: its files in order, each with its size and one download. Opening
// it counts nothing.
import type { PaidFile } from '../files/delivery-links.ts'
import type { PackFile } from '../files/pack-links.ts'
import { openTemplate, sendPage, type AskForm, type Page, type ShopShown } from './pages.ts'
import { relativeToPage } from './request.ts'
import { sayFor, type Say } from './say.ts'
import type { Visit } from './serve.ts'

interface PackPage extends Page {
  summary: string
  files: readonly { filename: string; about: string; address: string | null }[]
  /** Where all files that have downloads left are fetched as one ZIP file. */
  all?: string
  /** The size of that. */
  allSize?: string
  until?: string
  /** Says that some files have no downloads left, and what to do. */
  usedUp?: string
}

export const renderPack = openTemplate<PackPage>(new URL('./pack.hbs', import.meta.url))

export interface OpenedPack {
  /** Of the pack, or the order's. */
  name: string
  order?: boolean
  /** The order's language. */
  locale?: string | null
  shop: ShopShown
  expires_at: Date | null
  files: readonly (PackFile &
    Partial<Pick<PaidFile, 'expires_at' | 'renewed_at' | 'licence_keys'>>)[]
  /** Its files can be fetched as one ZIP file with the page's own key. */
  archive?: boolean
  now: Date
  /** The form to ask the shop for more. */
  ask: AskForm
  /** The holder has asked within a day. */
  asked: boolean
}

export function sendPack({ request, response }: Visit, pack: OpenedPack): void {
  const { locale = null, shop } = pack
  const say = sayFor(request, { ...shop.look, ...(locale === null ? {} : { locale }) })
  const address = (key: string) => relativeToPage(request, `download?key=${key}`)
  sendPage(request, response, 200, renderPack({ say, shop }, packPage(say, pack, address)))
}

/** @param address of one file, by its key. */
export function packPage(say: Say, pack: OpenedPack, address: (key: string) => string): PackPage {
  const { name, expires_at, files, now } = pack
  const usable = files.filter((file) => isUsable(file, now))
  return {
    title: pack.order ? say('order.number', { order: name }) : name,
    intro: true,
    summary: say('pack.summary', { count: files.length, size: say.size(bytesOf(files)) }),
    files: files.map((file) => ({
      filename: file.filename,
      about: [
        ...[say.size(file.size_bytes), leftText(say, file), untilText(say, file, now)],
        ...[renewedText(say, file), ...keyTexts(say, file)],
      ]
        .filter((text) => text !== '')
        .join(' · '),
      address: isUsable(file, now) ? address(file.key) : null,
    })),
    ...(expires_at === null ? {} : { until: say.date(expires_at) }),
    ...(pack.archive && usable.length > 1
      ? { all: `${address(pack.ask.key)}&all=1`, allSize: say.size(bytesOf(usable)) }
      : {}),
    ...(usable.length === files.length ? {} : moreOf(say, pack)),
  }
}

const bytesOf = (files: readonly PackFile[]) =>
  files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)

const hasLeft = ({ download_limit, downloads }: PackFile) =>
  download_limit === null || downloads < download_limit

type ShownFile = OpenedPack['files'][number]

const isUsable = (file: ShownFile, now: Date) =>
  hasLeft(file) && (!file.expires_at || file.expires_at > now)

const keyTexts = (say: Say, { licence_keys = [] }: ShownFile) =>
  licence_keys.map((key) => say('order.licenceKey', { key }))

const renewedText = (say: Say, { renewed_at }: ShownFile): string =>
  renewed_at ? say('order.version', { day: say.date(renewed_at) }) : ''

/** Files of a delivery expire one by one. */
function untilText(say: Say, { expires_at }: ShownFile, now: Date): string {
  if (!expires_at) return ''
  const day = say.date(expires_at)
  return expires_at > now ? say('order.until', { day }) : say('order.fileExpired', { day })
}

/** What the buyer can do when a file has no downloads left. */
function moreOf(
  say: Say,
  { shop: { name: shop }, files, ask, asked, now }: OpenedPack,
): Pick<PackPage, 'usedUp' | 'ask'> {
  const some = files.some((file) => isUsable(file, now))
  const which = files.length === 1 ? 'only' : some ? 'some' : 'all'
  // An expiry is shown beside its file.
  const usedUp = files.every(hasLeft) ? '' : say('pack.usedUp', { which })
  if (asked) return { usedUp: `${usedUp} ${say('advice.asked', { shop })}`.trim() }
  return { usedUp: `${usedUp} ${say('pack.askMore', { shop })}`.trim(), ask }
}

function leftText(say: Say, { download_limit, downloads }: PackFile): string {
  if (download_limit === null) return ''
  return say('pack.left', { count: Math.max(0, download_limit - downloads) })
}
