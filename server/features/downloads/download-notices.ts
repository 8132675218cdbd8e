// Notifications of downloads, for files that have them switched on, and of buyers who ask for more
// downloads. The first download of a file is reported immediately, further ones at most once an
// hour with their number, so that a popular file does not flood the shop's inbox.
import { z } from 'zod'
import { lines, say, textOf, type Text } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { attemptEach, forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { queueMessage } from '../../core/queue/queue.ts'
import { readShop, type ShopRecord } from '../../files/shop-settings.ts'
import { toPublicId } from '../../core/ids.ts'
import { defineEvent, isWanted, raiseEvent } from '../../core/outbox/webhook-events.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import type { MailPayload } from '../../core/outbox/outbox.ts'
import { linkEnded } from '../links/model/links.ts'
import type { Ask } from './ask.ts'
import type { DownloadMessages } from './downloads.ts'
import { raiseUsed } from './exhausted-links.ts'
import { isInPack } from '../../files/pack-places.ts'

const NOTICE_INTERVAL = '1 hour'
const ASK_INTERVAL = '24 hours'
/** Further files are only counted. */
const MAX_NAMED = 50

export const downloadMessages = (database: Database, clock: () => Date): DownloadMessages => ({
  downloaded: () => notifyDownloads(database, clock()),
  used: (links) => raiseUsed(database, links),
  asked: (ask) => forShop(database, ask.shop).transaction((tx) => notifyAsk(tx, ask)),
})

/**
 * Notifies all shops of due downloads; returns the number of shops. Safe to run in several
 * processes. A shop that fails does not keep the notices from the others; its error is thrown at
 * the end.
 */
export async function notifyDownloads(database: Database, now: Date): Promise<number> {
  const { rows } = await database.pool.query<{ shop_id: number }>(
    `select distinct shop_id from download_notices
     where untold > 0 and (told_at is null or told_at <= $1::timestamptz - $2::interval)
       order by shop_id`,
    [now, NOTICE_INTERVAL],
  )
  if (rows.length === 0) return 0
  await attemptEach(rows, ({ shop_id }) =>
    forShop(database, shop_id).transaction((tx) => notifyShop(tx, now)),
  )
  return rows.length
}

interface DownloadedFile {
  id: string
  filename: string
  downloads: number
}

async function notifyShop(tx: ShopScope, now: Date): Promise<void> {
  // A second process waits for the row lock and then finds nothing to report.
  const rows = await tx.query<DownloadedFile & { wanted: boolean }>(
    `update download_notices n set untold = 0, told_at = :now from (
       select d.file_id, f.filename, f.download_notification as wanted
       from download_notices d join files f on f.shop_id = d.shop_id and f.id = d.file_id
       where d.shop_id = :shop and d.untold > 0
         and (d.told_at is null or d.told_at <= :now::timestamptz - :every::interval)
       order by d.file_id for update of d
     ) due
     where n.shop_id = :shop and n.file_id = due.file_id
     returning n.file_id as id, due.filename, old.untold as downloads, due.wanted`,
    { now, every: NOTICE_INTERVAL },
  )
  // The notification may have been switched off in the meantime.
  const files = rows
    .filter(({ wanted }) => wanted)
    .toSorted((a, b) => a.filename.localeCompare(b.filename, 'en'))
  const [first] = files
  if (!first) return
  const title =
    files.length === 1
      ? say('{filename} was downloaded', { filename: first.filename })
      : say('{count} files were downloaded', { count: files.length })
  const named = files.slice(0, MAX_NAMED)
  const more = files.length - named.length
  await raiseNotice(tx, {
    level: 'info',
    title,
    operation_id: null,
    body: lines(
      ...named.map(({ filename, downloads }) =>
        say('{filename}: {times}', { filename, times: times(downloads) }),
      ),
      ...(more > 0
        ? [say('and {count, plural, one {# more file} other {# more files}}', { count: more })]
        : []),
    ),
  })
  const listed = named.map(({ id, filename, downloads }) => ({
    filename,
    downloads: times(downloads),
    address: `files/${toPublicId('file', id)}`,
  }))
  const shop = await readShop(tx)
  await sendMail(tx, shop, `downloaded/${first.id}/${now.getTime()}`, {
    template: 'file-downloaded',
    data: { shop: { name: shop.name }, title, files: listed, more },
  })
}

const times = (count: number): Text => say('{count, plural, one {once} other {# times}}', { count })

interface AskedLink {
  name: string
  /** Of a delivery: its page's link, or the link of one of its files. */
  delivery_id: string | null
  file_id: string | null
  pack_id: string | null
  email: string | null
  /** Does a receiver of `buyer.asked` want to know? */
  told: boolean
}

export const buyerAsked = defineEvent({
  name: 'buyer.asked',
  title: say('A buyer asks for more'),
  about: 'The holder of a link asks the shop for more downloads: at most once a day for each link',
  starts: say('a buyer asks for more'),
  data: z.object({
    link_id: z.string(),
    file_id: z.string().nullable(),
    pack_id: z.string().nullable(),
    delivery_id: z.string().nullable(),
    email: z.string().nullable().describe('Where they can be answered'),
    message: z.string().nullable(),
  }),
})

async function raiseAsked(tx: ShopScope, ask: Ask, link: AskedLink): Promise<void> {
  const rows = await tx.query<{ id: string }>(
    `select id from files where shop_id = :shop and deleted_at is null
       and (id = :file::uuid or :file::uuid is null
         and ${isInPack('files.shop_id', ':pack::uuid', 'files.id')})`,
    { file: link.file_id, pack: link.pack_id },
  )
  await raiseEvent(tx, buyerAsked, {
    key: `${ask.link}/${ask.now.getTime()}`,
    data: {
      link_id: toPublicId('link', ask.link),
      file_id: link.file_id && toPublicId('file', link.file_id),
      pack_id: link.pack_id && toPublicId('pack', link.pack_id),
      delivery_id: link.delivery_id && toPublicId('delivery', link.delivery_id),
      email: ask.email,
      message: ask.message,
    },
    files: rows.map(({ id }) => id),
  })
}

/** False if this link has asked within the last day. */
async function notifyAsk(tx: ShopScope, ask: Ask): Promise<boolean> {
  const [link] = await tx.query<AskedLink>(
    `update links l set asked_at = :now from (
       select l.id, coalesce(f.filename, p.name, l.pack_name, 'order ' || o.name) as name,
         d.id as delivery
       from links l
       left join files f on f.shop_id = l.shop_id and f.id = l.file_id
       left join packs p on p.shop_id = l.shop_id and p.id = l.pack_id
       left join links parent on parent.shop_id = l.shop_id and parent.id = l.parent_id
       left join deliveries d on d.shop_id = l.shop_id
         and d.id = coalesce(l.delivery_id, parent.delivery_id)
       left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
       where l.shop_id = :shop and l.id = :link
     ) named
     where l.shop_id = :shop and l.id = named.id
       and (l.asked_at is null or l.asked_at <= :now::timestamptz - :every::interval)
     returning named.name, named.delivery as delivery_id, l.file_id, l.pack_id, l.email,
       ${isWanted(`'${buyerAsked.name}'`)} as told`,
    { link: ask.link, now: ask.now, every: ASK_INTERVAL },
  )
  if (!link) return false
  if (link.told) await raiseAsked(tx, ask, link)
  const { delivery_id: delivery } = link
  if (delivery !== null) await recordAsk(tx, delivery, ask)
  const shop = await readShop(tx)
  const title = say('A customer asks for more: {name}', { name: link.name })
  const data = {
    shop: { name: shop.name },
    title,
    name: link.name,
    reason: await reasonOf(tx, ask, delivery),
    order: delivery !== null,
    sent_to: link.email,
    email: ask.email,
    message: ask.message,
    lines: ask.message?.split(/\r?\n/) ?? [],
    address: addressOf(link),
  }
  await raiseNotice(tx, {
    level: 'info',
    title,
    body: noticeOf(data),
    operation_id: null,
    delivery_id: delivery,
  })
  await sendMail(tx, shop, `asked/${ask.link}/${ask.now.getTime()}`, {
    template: 'download-asked',
    data,
  })
  return true
}

/** A delivery's page works even if some of its files are used up. */
async function reasonOf(tx: ShopScope, ask: Ask, delivery: string | null): Promise<Text> {
  if (ask.reason !== null) return REASONS[ask.reason] ?? textOf('')
  if (delivery === null) return say('Their link still works.')
  const row = await tx.one<{ ended: number; files: number }>(
    `select count(*) filter (where ${linkEnded(':now::timestamptz')}) as ended, count(*) as files
     from links p join links c on c.shop_id = p.shop_id and c.parent_id = p.id
       and c.revoked_at is null
     where p.shop_id = :shop and p.delivery_id = :delivery`,
    { delivery, now: ask.now },
  )
  const { ended, files } = row
  if (ended === 0) return say('Their page still works.')
  return say('Used up or expired: {count} of its {files, plural, one {# file} other {# files}}.', {
    count: ended,
    files,
  })
}

/** Stored with the delivery until the merchant has answered it. */
async function recordAsk(tx: ShopScope, delivery: string, ask: Ask): Promise<void> {
  const kept = { at: ask.now.toISOString(), email: ask.email, message: ask.message }
  await tx.query('update deliveries set ask = :ask where shop_id = :shop and id = :delivery', {
    delivery,
    ask: JSON.stringify(kept),
  })
}

/** The page where the shop can act on it; the pack may have been deleted. */
function addressOf({ file_id, pack_id, delivery_id }: AskedLink): string {
  if (delivery_id !== null) return `deliveries/${toPublicId('delivery', delivery_id)}`
  if (file_id !== null) return `files/${toPublicId('file', file_id)}`
  return pack_id === null ? 'packs' : `packs/${toPublicId('pack', pack_id)}`
}

const REASONS: Readonly<Record<string, Text>> = {
  link_expired: say('Their link has expired.'),
  link_exhausted: say('Their link has reached its download limit.'),
  views_used_up: say('Their link has reached its limit of views.'),
  views_expired: say('The views of their link have ended.'),
  link_withdrawn: say('Their link was withdrawn.'),
}

interface AskText {
  reason: Text
  sent_to: string | null
  email: string | null
  message: string | null
}

const noticeOf = ({ reason, sent_to, email, message }: AskText): Text =>
  lines(
    ...[
      reason,
      sent_to && say('The link was made for {email}.', { email: sent_to }),
      email && say('They can be answered at {email}.', { email }),
      message && say('They write: {message}', { message }),
    ].filter((one) => one !== null && one !== ''),
  )

/** Without recipients no email is queued: it would fail and raise a notice about that. */
async function sendMail(
  tx: ShopScope,
  { settings }: ShopRecord,
  key: string,
  payload: MailPayload,
): Promise<void> {
  if (settings.recipients.length === 0) return
  const [row] = (await tx
    .insert('outbox', { key, kind: 'email', payload: JSON.stringify(payload) })
    .onConflict()
    .ignore()
    .returning('id')) as { id: string }[]
  if (row) await queueMessage(tx, row.id)
}
