// The page behind a pack's link: its files in order, each with its size and one download. Opening
// it counts nothing.
import type { PackFile } from '../files/pack-links.ts'
import { openTemplate, sendPage, type AskForm, type Page, type ShopNamed } from './pages.ts'
import { relativeToPage } from './request.ts'
import type { Visit } from './serve.ts'

interface PackPage extends Page {
  shop: ShopNamed
  summary: string
  files: readonly { filename: string; about: string; address: string | null }[]
  /** Where all files that have downloads left are fetched as one ZIP file. */
  all?: string
  until?: string
  /** Says that some files have no downloads left, and what to do. */
  usedUp?: string
}

const render = openTemplate<PackPage>('./pack.hbs')

export interface OpenedPack {
  name: string
  shop: ShopNamed
  expires_at: Date | null
  files: readonly (PackFile & { expires_at?: Date | null })[]
  /** Its files can be fetched as one ZIP file with the page's own key. */
  archive?: boolean
  now: Date
  /** The form to ask the shop for more. */
  ask: AskForm
  /** The holder has asked within a day. */
  asked: boolean
}

export function sendPack({ request, response }: Visit, pack: OpenedPack): void {
  const { name, shop, expires_at, files, now } = pack
  const usable = files.filter((file) => isUsable(file, now))
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  const until = expires_at?.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
  const html = render({
    ...{ title: name, shop },
    summary: `${files.length} ${files.length === 1 ? 'file' : 'files'}, ${sizeText(bytes)}`,
    files: files.map((file) => ({
      filename: file.filename,
      about: [sizeText(file.size_bytes), leftText(file), untilText(file, now)]
        .filter((text) => text !== '')
        .join(' · '),
      address: isUsable(file, now) ? relativeToPage(request, `download?key=${file.key}`) : null,
    })),
    ...(until === undefined ? {} : { until }),
    ...(pack.archive && usable.length > 1
      ? { all: relativeToPage(request, `download?key=${pack.ask.key}&all=1`) }
      : {}),
    ...(usable.length === files.length ? {} : moreOf(pack)),
  })
  sendPage(request, response, 200, { html })
}

const hasLeft = ({ download_limit, downloads }: PackFile) =>
  download_limit === null || downloads < download_limit

type ShownFile = OpenedPack['files'][number]

const isUsable = (file: ShownFile, now: Date) =>
  hasLeft(file) && (!file.expires_at || file.expires_at > now)

/** Files of a delivery expire one by one. */
function untilText({ expires_at }: ShownFile, now: Date): string {
  if (!expires_at) return ''
  const day = expires_at.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
  return expires_at > now ? `until ${day}` : `expired on ${day}`
}

/** What the buyer can do when a file has no downloads left. */
function moreOf({ shop, files, ask, asked, now }: OpenedPack): Pick<PackPage, 'usedUp' | 'ask'> {
  const which =
    files.length === 1
      ? 'This file has'
      : files.some((file) => isUsable(file, now))
        ? 'Some of these files have'
        : 'These files have'
  const expired = files.every((file) => hasLeft(file))
  const usedUp = expired
    ? `${which} expired.`
    : `${which} been downloaded as often as this link allows.`
  if (asked)
    return { usedUp: `${usedUp} ${shop.name} has been asked for more: wait for an answer.` }
  return { usedUp: `${usedUp} If you need more, ask ${shop.name}.`, ask }
}

function leftText(file: PackFile): string {
  const { download_limit, downloads } = file
  if (download_limit === null) return ''
  const left = download_limit - downloads
  if (left <= 0) return 'no downloads left'
  return left === 1 ? '1 download left' : `${left} downloads left`
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

const STEP = 1024

/** Units of 1,024, as on the admin page (test/sizes.test.ts compares them). */
export function sizeText(size: number): string {
  let [value, unit] = [size, 0]
  // Rounded first: 1,023.99 KB would otherwise read 1,024 KB instead of 1 MB.
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  const digits = unit > 0 && value < 10 ? 1 : 0
  const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(value)
  return `${figure} ${size === 1 ? 'byte' : UNITS[unit]}`
}
