// The page behind a pack's link: its files in order, each with its size and one download. Opening
// it counts nothing.
import type { PackFile } from '../files/pack-links.ts'
import { openTemplate, sendPage, type AskForm, type Page, type ShopShown } from './pages.ts'
import { relativeToPage } from './request.ts'
import { sayFor, type Say } from './say.ts'
import type { Visit } from './serve.ts'

interface PackPage extends Page {
  summary: string
  files: readonly { filename: string; about: string; address: string | null }[]
  until?: string
  /** Says that some files have no downloads left, and what to do. */
  usedUp?: string
}

export const renderPack = openTemplate<PackPage>(new URL('./pack.hbs', import.meta.url))

export interface OpenedPack {
  name: string
  shop: ShopShown
  expires_at: Date | null
  files: readonly PackFile[]
  /** The form to ask the shop for more. */
  ask: AskForm
  /** The holder has asked within a day. */
  asked: boolean
}

export function sendPack({ request, response }: Visit, pack: OpenedPack): void {
  const say = sayFor(request, pack.shop.look)
  const address = (key: string) => relativeToPage(request, `download?key=${key}`)
  sendPage(
    request,
    response,
    200,
    renderPack({ say, shop: pack.shop }, packPage(say, pack, address)),
  )
}

/** @param address of one file, by its key. */
export function packPage(say: Say, pack: OpenedPack, address: (key: string) => string): PackPage {
  const { name, expires_at, files } = pack
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  return {
    title: name,
    intro: true,
    summary: say('pack.summary', { count: files.length, size: say.size(bytes) }),
    files: files.map((file) => ({
      filename: file.filename,
      about: [say.size(file.size_bytes), leftText(say, file)]
        .filter((text) => text !== '')
        .join(' · '),
      address: hasLeft(file) ? address(file.key) : null,
    })),
    ...(expires_at === null ? {} : { until: say.date(expires_at) }),
    ...(files.every(hasLeft) ? {} : moreOf(say, pack)),
  }
}

const hasLeft = ({ download_limit, downloads }: PackFile) =>
  download_limit === null || downloads < download_limit

/** What the buyer can do when a file has no downloads left. */
function moreOf(
  say: Say,
  { shop: { name: shop }, files, ask, asked }: OpenedPack,
): Pick<PackPage, 'usedUp' | 'ask'> {
  const which = files.length === 1 ? 'only' : files.some(hasLeft) ? 'some' : 'all'
  const usedUp = say('pack.usedUp', { which })
  if (asked) return { usedUp: `${usedUp} ${say('advice.asked', { shop })}` }
  return { usedUp: `${usedUp} ${say('pack.askMore', { shop })}`, ask }
}

function leftText(say: Say, { download_limit, downloads }: PackFile): string {
  if (download_limit === null) return ''
  return say('pack.left', { count: Math.max(0, download_limit - downloads) })
}
