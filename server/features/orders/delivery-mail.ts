// The mail that brings an order's files: one link to the delivery's page, in the buyer's language.
// As with links, a message stores only the delivery's id; the key is inserted when it is sent.
import { randomUUID } from 'node:crypto'
import Handlebars from 'handlebars'
import { isLinkName, nameForBuyers, sayPlain } from '../../../plugins/contract/index.ts'
import { type ShopScope, lockUntilCommit } from '../../core/db/for-shop.ts'
import { queueTask } from '../../core/queue/background.ts'
import { queueMessages, queueMessage, queueTimedMessages } from '../../core/queue/queue.ts'
import type { Secrets } from '../../core/secrets.ts'
import { DOWNLOADABLE, viewedOnly } from '../../files/view-kinds.ts'
import { SEND_MAILS, type Content } from '../../core/outbox/outbox.ts'
import { present } from '../../core/lazy.ts'
import { askWithin, ASKS_NOTHING, linkAddress, unusable } from '../links/model/links.ts'
import { keysOfDeliveries } from '../preparation/assigned-keys.ts'
import { translatorForFirst } from '../downloads/translate.ts'
import { HIDDEN_KEY } from '../links/mail.ts'
import {
  inOneLine,
  readMailLook,
  renderBuyerMail,
  type MailLook,
  type BuyerTemplate,
} from '../mail/buyer-mail.ts'
import { DELIVERY_TEXTS, formatText, joinSentences } from '../mail/texts.ts'

const TEMPLATE = 'order-delivery' satisfies BuyerTemplate
/** The placeholder for licence keys in a stored message. */
const HIDDEN_LICENCES = '(these licence keys are not kept)'
/** Maximum number of files that a mail names; the others are on the page. */
const MAX_NAMED = 20
/** Maximum number of licence keys in a mail; the page has all. */
const MAX_KEYS = 200

/**
 * `edited`: an edit of the order has brought files; all are named. `update`: one of its files has a new version. `added`: its product got further files. `ready`:
 * the files are ready that an earlier mail named as being prepared. `available`: files were
 * released.
 */
type Occasion = 'order' | 'edited' | 'update' | 'added' | 'ready' | 'available'

interface DeliveryPayload {
  template: typeof TEMPLATE
  /** The bare UUID of the delivery. */
  delivery: string
  about?: Occasion
  /** What added the files (`given_by` of theirs): the mail names only these. */
  given?: string
  /** When the files were released (ISO 8601): the mail names only these. */
  released?: string
}

/** The delivery that a waiting mail is about, and the occasion. */
export interface MailedDelivery {
  delivery: string
  about: Occasion
  given: string | null
  released: string | null
}

/** The delivery that a message is about, or null for other messages. */
export function mailedDelivery(payload: unknown): MailedDelivery | null {
  const { template, delivery, ...rest } = payload as Partial<DeliveryPayload>
  const { about = 'order', given = null, released = null } = rest
  return template === TEMPLATE && typeof delivery === 'string'
    ? { delivery, about, given, released }
    : null
}

/**
 * Queues the first mail of deliveries (bare UUIDs), which are sent in batches, or each after a delay.
 * Idempotent. Call it in the transaction that decides to send them.
 */
export async function queueFirstMails(
  tx: ShopScope,
  deliveries: readonly string[],
  delayMinutes = 0,
): Promise<void> {
  if (deliveries.length === 0) return
  const ids = await insertMails(tx, deliveries, {
    occasion: 'first',
    about: 'order',
    batched: delayMinutes === 0,
    delayMinutes,
  })
  if (ids.length === 0) return
  if (delayMinutes > 0) await queueTimedMessages(tx, ids)
  else await queueTask(tx, SEND_MAILS, String(tx.shop))
}

/** The error of a mail whose delivery was held or withdrawn after the mail was queued. */
export const NOT_READY = sayPlain('The delivery was not ready any more')

/**
 * Queues first mails again that failed with `NOT_READY`, and those about added files. Call it in the transaction in which the
 * deliveries (bare UUIDs) become ready again.
 * @param which `given`: only those that are ours in any case, because the platform tells of the order
 */
export async function queueHeldMails(
  tx: ShopScope,
  deliveries: readonly string[],
  which: 'all' | 'given' = 'all',
): Promise<void> {
  if (deliveries.length === 0) return
  const rows = await tx.query(
    `update outbox set status = 'waiting', attempts = 0, error = null, error_text = null, result = null,
       batched = true
     where shop_id = :shop and status = 'failed' and error = :reason
       and payload ->> 'delivery' = any(:deliveries::text[])
       and (:all::boolean and key like '%/first' or payload ->> 'about' in ('added', 'available'))
     returning 1`,
    { deliveries, reason: NOT_READY, all: which === 'all' },
  )
  if (rows.length > 0) await queueTask(tx, SEND_MAILS, String(tx.shop))
}

/**
 * Queues the mail of a delivery (a bare UUID), before all mail that is sent in bulk. Idempotent for
 * each `occasion`. Call it in the transaction that decides to send it.
 */
export async function queueDeliveryMail(
  tx: ShopScope,
  delivery: string,
  occasion: string,
  about: 'order' | 'edited' = 'order',
): Promise<boolean> {
  const [id] = await insertMails(tx, [delivery], { occasion, about })
  if (id === undefined) return false
  await queueMessage(tx, id)
  return true
}

/**
 * Queues the mail about files that the shop added to one order, before all mail that is sent in bulk.
 * @param addition `given_by` of these files
 */
export async function queueAddedMail(
  tx: ShopScope,
  delivery: string,
  addition: string,
): Promise<void> {
  const mail = { occasion: `added/${addition}`, about: 'added', given: addition } as const
  const [id] = await insertMails(tx, [delivery], mail)
  if (id !== undefined) await queueMessage(tx, id)
}

/** Deletes such mails that were not sent yet and have no file left that their buyer has. */
export async function dropAddedMail(tx: ShopScope, delivery: string): Promise<void> {
  await tx.query(
    `delete from outbox o where o.shop_id = :shop and o.payload ->> 'delivery' = :delivery::text
       and o.status = 'waiting' and o.payload ->> 'about' = 'added' and o.operation_id is null
       and not exists (select from delivery_files df where df.shop_id = o.shop_id
         and df.delivery_id = :delivery::uuid and df.given_by = (o.payload ->> 'given')::uuid
         and not df.withdrawn)`,
    { delivery },
  )
}

/**
 * Queues the mail that follows one which named files in preparation, unless the earlier one still
 * waits: it will name all files as ready.
 */
export async function queueReadyMail(tx: ShopScope, delivery: string): Promise<void> {
  const sent = await tx.query(
    `select from outbox where shop_id = :shop and payload ->> 'delivery' = :delivery::text
       and status in ('sending', 'sent') limit 1`,
    { delivery },
  )
  if (sent.length === 0) return
  const mail = { occasion: `ready/${randomUUID()}`, about: 'ready' } as const
  const [id] = await insertMails(tx, [delivery], mail)
  if (id !== undefined) await queueMessage(tx, id)
}

/**
 * Queues mails of the deliveries of an operation, which are sent one after another, after all other
 * mail.
 * @param mail `perHour`: at most so many an hour, also if it is called again for the operation; null:
 *   without a limit.
 */
export async function queueDeliveryMails(
  tx: ShopScope,
  deliveries: readonly string[],
  mail: { about: 'update' | 'added'; operation: string; perHour?: number | null },
): Promise<void> {
  const { about, operation, perHour = null } = mail
  const ids = await insertMails(tx, deliveries, {
    occasion: `${about}/${operation}`,
    about,
    operation,
  })
  if (perHour === null) return queueMessages(tx, ids)
  await setTimes(tx, ids, operation, perHour)
  await queueTimedMessages(tx, ids)
}

/** Gives mails of an operation their times, after those that it has. */
async function setTimes(
  tx: ShopScope,
  ids: readonly string[],
  operation: string,
  perHour: number,
): Promise<void> {
  // Batches of the operation that run at the same time must not use the same times. An advisory
  // lock: commits of batches lock the operation's row.
  await lockUntilCommit(tx, `mails ${operation}`)
  await tx.query(
    `with last as (
       select max(due_at) as at from outbox where shop_id = :shop and operation_id = :operation
     )
     update outbox o set due_at = greatest(now(), last.at + :gap::float8 * interval '1 second')
       + (g.n - 1) * :gap::float8 * interval '1 second'
     from last, unnest(:ids::uuid[]) with ordinality as g (id, n)
     where o.shop_id = :shop and o.id = g.id`,
    { ids, operation, gap: 3600 / perHour },
  )
}

/**
 * Deletes the mails of an operation about added files that were not sent yet, of buyers who have none of
 * its files any more.
 */
export async function dropAddedMails(tx: ShopScope, operation: string): Promise<void> {
  await tx.query(
    `delete from outbox o where o.shop_id = :shop and o.operation_id = :operation
       and o.status = 'waiting' and o.payload ->> 'about' = 'added'
       and not exists (select from delivery_files df where df.shop_id = o.shop_id
         and df.delivery_id = (o.payload ->> 'delivery')::uuid and df.given_by = :operation
         and not df.taken_back)`,
    { operation },
  )
}

/**
 * Queues the mails about files that were released at this time, which are sent in batches. Idempotent
 * for each time. Call it in the transaction that marks the files as released.
 */
export async function queueReleaseMails(
  tx: ShopScope,
  deliveries: readonly string[],
  released: Date,
): Promise<void> {
  if (deliveries.length === 0) return
  const at = released.toISOString()
  const mail = { occasion: `available/${at}`, about: 'available', released: at } as const
  const ids = await insertMails(tx, deliveries, { ...mail, batched: true })
  if (ids.length > 0) await queueTask(tx, SEND_MAILS, String(tx.shop))
}

/** Finds the ready deliveries with an address that contain these files (bare UUIDs), by file. */
export async function buyersOf(
  scope: ShopScope,
  files: readonly string[],
): Promise<Map<string, string[]>> {
  if (files.length === 0) return new Map()
  const rows = await scope.query<{ file_id: string; deliveries: string[] }>(
    `select df.file_id, array_agg(distinct df.delivery_id) as deliveries
     from delivery_files df
     join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
       and d.revoked_at is null and d.withdrawn_at is null and d.held_by is null
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where df.shop_id = :shop and df.file_id = any(:files::uuid[]) and not df.withdrawn
       and coalesce(d.email, o.email) is not null
     group by df.file_id`,
    { files },
  )
  return new Map(rows.map(({ file_id, deliveries }) => [file_id, deliveries]))
}

async function insertMails(
  tx: ShopScope,
  deliveries: readonly string[],
  mail: {
    occasion: string
    about: Occasion
    operation?: string
    given?: string
    released?: string
    batched?: boolean
    delayMinutes?: number
  },
): Promise<string[]> {
  const { occasion, about, operation = null, released = null, batched = false } = mail
  const { delayMinutes = 0, given = about === 'added' ? operation : null } = mail
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id, batched, due_at)
     select :shop, 'delivery/' || delivery || '/' || :occasion::text, 'email',
       jsonb_build_object('template', :template::text, 'delivery', delivery, 'about', :about::text,
         'given', :given::uuid,
         'released', :released::text),
       :operation::uuid, :batched,
       now() + nullif(:delay::int, 0) * interval '1 minute'
     from unnest(:deliveries::uuid[]) delivery on conflict do nothing returning id`,
    {
      deliveries,
      template: TEMPLATE,
      occasion,
      about,
      operation,
      given,
      released,
      batched,
      delay: delayMinutes,
    },
  )
  return rows.map(({ id }) => id)
}

/** The first text of a mail none of whose files can be used any more. */
type EndedIntro = 'endedIntro' | 'updateEndedIntro'

interface MailRow {
  order_name: string
  email: string | null
  locale: string | null
  filenames: string[]
  /** The shop's texts about files that ask for nothing. */
  texts: { filename: string; text: string }[]
  files: number
  /** Names of files that a workflow is preparing: they are not among the others. */
  preparing: string[]
  /** Files that become available later: they are not among the others either. */
  later: { filename: string; at: string }[]
  /** Its files can neither be downloaded nor viewed any more: they are not among the others. */
  ended: number
  /** The next end of a file that is downloaded; null: none ends. */
  expires_at: Date | null
  /** That of a file that is only viewed. */
  views_end_at: Date | null
  /** One of its files is only viewed. */
  viewed: boolean
  licensed: boolean
  /** The time of the database, by which its files have ended. */
  now: Date
}

/** Writes the message of each delivery, without keys; null if the delivery was deleted. */
export async function writeDeliveryMails(
  scope: ShopScope,
  mailed: readonly MailedDelivery[],
  baseUrl: string,
): Promise<(Content | null)[]> {
  if (mailed.length === 0) return []
  const look = await readMailLook(scope)
  const rows = await scope.query<MailRow & { place: number }>(
    `select g.place::int, now() as now, o.name as order_name, coalesce(d.email, o.email) as email, o.locale, f.filenames,
       f.texts, f.files, f.preparing, f.later, f.ended, f.expires_at, f.views_end_at, f.viewed,
       exists (select from licence_keys k where k.shop_id = d.shop_id and k.delivery_id = d.id
         and k.revoked_at is null)
         as licensed
     from unnest(:deliveries::uuid[], :givens::uuid[], :releases::timestamptz[]) with ordinality
       as g (delivery_id, given, released, place)
     join deliveries d on d.shop_id = :shop and d.id = g.delivery_id
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     join lateral (
       select coalesce((array_agg(f.filename order by f.filename) filter (where w.here))
           [1:${MAX_NAMED}], '{}') as filenames,
         coalesce((array_agg(jsonb_build_object('filename', f.filename, 'text', f.buyer_text)
           order by f.filename) filter (where w.here and f.buyer_text is not null
             and ${askWithin('l', 'l.ask_of_page')} = '${ASKS_NOTHING}'))
             [1:${MAX_NAMED}], '{}') as texts,
         count(*) filter (where w.here)::int as files,
         coalesce((array_agg(f.filename order by f.filename) filter (where w.waits and not w.later))
           [1:${MAX_NAMED}], '{}') as preparing,
         coalesce((array_agg(jsonb_build_object('filename', f.filename, 'at', l.available_at)
           order by l.available_at, f.filename) filter (where w.later))
             [1:${MAX_NAMED}], '{}') as later,
         count(*) filter (where w.ended)::int as ended,
         min(l.ends_at) filter (where ${DOWNLOADABLE} and not w.ended and l.ends_at > now()) as expires_at,
         min(l.views_end_at) filter (where ${viewedOnly('f')} and not w.ended) as views_end_at,
         coalesce(bool_or(${viewedOnly('f')}), false) as viewed
       -- Offset: by the delivery. By the file, all links of a file that sells well would be read.
       from (select c.*, p.ask_for as ask_of_page from links p join links c on c.shop_id = p.shop_id and c.parent_id = p.id
         and c.revoked_at is null where p.shop_id = d.shop_id and p.delivery_id = d.id offset 0) l
       join files f on f.shop_id = l.shop_id and f.id = l.file_id and f.deleted_at is null
       join lateral (select *, not waits and not later and not ended as here
         from (select exists (select from prepared_files o where o.shop_id = l.shop_id
             and o.link_id = l.id and o.status = 'waiting') as waits,
           g.released is null and coalesce(l.available_at > now(), false) as later,
           ${unusable('l', 'f')} as ended) s) w on true
       where (g.given is null or exists (select from delivery_files df where df.shop_id = d.shop_id
           and df.delivery_id = d.id and df.file_id = l.file_id and df.given_by = g.given))
         and (g.released is null or l.released_at = g.released)) f
       on true`,
    {
      deliveries: mailed.map(({ delivery }) => delivery),
      givens: mailed.map(({ given }) => given),
      releases: mailed.map(({ released }) => released),
    },
  )
  const found = new Map(rows.map((row) => [row.place, row]))
  return mailed.map(({ about }, at) => {
    const row = found.get(at + 1)
    return row ? contentOf(row, about, look, baseUrl) : null
  })
}

/** The name of a file in one line, without the ending of a link. */
const shownToBuyer = (filename: string): string => nameForBuyers(inOneLine(filename))

function contentOf(
  row: MailRow,
  about: MailedDelivery['about'],
  look: MailLook,
  baseUrl: string,
): Content {
  const t = translatorForFirst([row.locale, look.page.page.language])
  const { locale } = t
  const pending = row.preparing.length + row.later.length
  const nothingLeft = row.ended > 0 && row.files + pending === 0
  const values = {
    shop: look.shop,
    order: inOneLine(row.order_name),
    // The button opens the page: there is nothing to download.
    viewed: String(row.viewed || nothingLeft || (row.files > 0 && row.filenames.every(isLinkName))),
    // All files that the mail is about, also those that are not ready.
    count: about === 'added' ? row.files + pending : row.files,
    waiting: row.preparing.length,
    partly: String(pending > 0),
    names: row.preparing.map(shownToBuyer).join(', '),
  }
  const text = (name: 'preparing' | 'licences' | 'later' | 'laterIntro' | EndedIntro) =>
    formatText(locale, DELIVERY_TEXTS[locale][name], values)
  const endText = (name: 'expires' | 'viewExpires', end: Date | null) =>
    end === null
      ? []
      : [
          formatText(locale, DELIVERY_TEXTS[locale][name], {
            date: t.end(end, look.zone, row.now),
          }),
        ]
  const more = row.files - row.filenames.length
  const files = row.filenames.map(shownToBuyer)
  const later = row.later.map(
    ({ filename, at }) => `${shownToBuyer(filename)}: ${t.moment(new Date(at), look.zone)}`,
  )
  const nothingYet =
    (about === 'order' || about === 'edited') && row.files === 0 && later.length > 0
  const ended: EndedIntro = about === 'update' ? 'updateEndedIntro' : 'endedIntro'
  const parts = {
    mail: about,
    locale,
    values,
    files: more > 0 ? [...files, `+ ${more}`] : files,
    texts: row.texts.map(({ filename, text }) => ({ filename: shownToBuyer(filename), text })),
    ...(nothingYet ? { intro: text('laterIntro') } : {}),
    ...(nothingLeft ? { intro: text(ended) } : {}),
    ...(later.length === 0 ? {} : { later: { title: text('later'), files: later } }),
    before: row.preparing.length === 0 ? '' : text('preparing'),
    after: joinSentences(locale, [
      ...endText('expires', row.expires_at),
      ...endText('viewExpires', row.views_end_at),
    ]),
    address: linkAddress(baseUrl, HIDDEN_KEY),
    ...(row.licensed ? { licences: { title: text('licences'), hidden: HIDDEN_LICENCES } } : {}),
  }
  return { ...renderBuyerMail(look, parts, baseUrl), to: row.email === null ? [] : [row.email] }
}

export interface WrittenDelivery {
  delivery: string
  content: Content
}

/** Inserts the keys into messages, in their order; null if the delivery is not ready any more. */
export async function withDeliveryKeys(
  scope: ShopScope,
  written: readonly WrittenDelivery[],
  { secrets, baseUrl }: { secrets: Secrets; baseUrl: string },
): Promise<(Content | null)[]> {
  if (written.length === 0) return []
  const deliveries = written.map(({ delivery }) => delivery)
  const rows = await scope.query<{
    delivery_id: string
    id: string
    rotation: number
    key_hash: Buffer
  }>(
    `select delivery_id, id, rotation, key_hash from links
     where shop_id = :shop and delivery_id = any(:deliveries::uuid[]) and revoked_at is null`,
    { deliveries },
  )
  const links = new Map(rows.map((row) => [row.delivery_id, row]))
  const licensed = written.filter(
    ({ delivery, content }) => links.has(delivery) && content.text.includes(HIDDEN_LICENCES),
  )
  const licences = await licencesOf(
    scope,
    secrets,
    licensed.map(({ delivery }) => delivery),
  )
  return written.map(({ delivery, content }) => {
    const link = links.get(delivery)
    if (!link) return null
    const address = linkAddress(baseUrl, secrets.linkKey(link.id, link.rotation, link.key_hash))
    const keys = licences.get(delivery) ?? []
    const fill = (text: string, lines: string) =>
      text
        .replaceAll(linkAddress(baseUrl, HIDDEN_KEY), address)
        .replaceAll(HIDDEN_LICENCES, () => lines)
    return {
      ...content,
      text: fill(content.text, keys.join('\n')),
      ...(content.html ? { html: fill(content.html, keys.map(escapeHtml).join('<br />')) } : {}),
    }
  })
}

/** Reads the lines with file and key, by delivery. */
async function licencesOf(
  scope: ShopScope,
  secrets: Secrets,
  deliveries: readonly string[],
): Promise<Map<string, string[]>> {
  const lines = new Map<string, string[]>(deliveries.map((delivery) => [delivery, []]))
  const assigned = await keysOfDeliveries(scope, secrets, deliveries, { show: true })
  // A revoked key does not work any more; the page says that it was withdrawn.
  for (const { delivery_id, filename, key, revoked } of assigned)
    if (!revoked)
      present(lines.get(delivery_id), 'The delivery').push(`${inOneLine(filename)}: ${key}`)
  for (const own of lines.values()) {
    const more = own.length - MAX_KEYS
    if (more > 0) own.splice(MAX_KEYS, more, `+ ${more}`)
  }
  return lines
}

const escapeHtml = (text: string): string => Handlebars.escapeExpression(text)
