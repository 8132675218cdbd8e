// Email with buyers' links. A message stores only the link's id, and the key is inserted when it is
// sent: neither the outbox nor the list of sent messages contains a key.
import { sayPlain } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueMessages } from '../../core/queue/queue.ts'
import {
  linkAddress,
  pageAddress,
  LINK_COLUMNS,
  LINK_TABLES,
  readLinks,
  type Link,
  type LinkRow,
} from './model/links.ts'
import { readShop } from '../../files/shop-settings.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Content } from '../../core/outbox/outbox.ts'
import { renderMail } from '../../core/outbox/templates.ts'

const TEMPLATE = 'download-link'
/** The placeholder for the key in a stored message. */
export const HIDDEN_KEY = '(this key is not kept)'

interface LinkPayload {
  template: typeof TEMPLATE
  /** A bare UUID. */
  link: string
}

/** The link in a message, or null for other messages. */
export const linkInPayload = (payload: unknown): string | null => {
  const { template, link } = payload as Partial<LinkPayload>
  return template === TEMPLATE && typeof link === 'string' ? link : null
}

/**
 * Queues an email for each link (bare UUIDs) to its own address. Idempotent for each `occasion`.
 * Call it in the transaction that decides to send them. Returns how many were queued.
 */
export async function queueLinkMails(
  tx: ShopScope,
  links: readonly string[],
  about: { occasion: string; operation?: string },
): Promise<number> {
  if (links.length === 0) return 0
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id)
     select :shop, 'link/' || link || '/' || :occasion::text, 'email',
       jsonb_build_object('template', :template::text, 'link', link), :operation::uuid
     from unnest(:links::uuid[]) link on conflict do nothing returning id`,
    { links, template: TEMPLATE, occasion: about.occasion, operation: about.operation ?? null },
  )
  await queueMessages(
    tx,
    rows.map(({ id }) => id),
  )
  return rows.length
}

/** The message of each link, without its key. Deleted links have none. */
export async function writeLinkMails(
  scope: ShopScope,
  links: readonly string[],
  baseUrl: string,
): Promise<Map<string, Content>> {
  if (links.length === 0) return new Map()
  const { name } = await readShop(scope)
  const rows = await scope.query<LinkRow>(
    `select ${LINK_COLUMNS} from ${LINK_TABLES} where l.shop_id = :shop
      and l.id = any(:links::uuid[])`,
    { links },
  )
  return new Map(
    rows.map((row) => {
      const data = {
        shop: { name: oneLine(name) },
        name: oneLine(row.name),
        pack: row.pack_id !== null,
        terms: termsOf(row),
      }
      const mail = renderMail(
        { template: TEMPLATE, data: { ...data, address: pageAddress(baseUrl, HIDDEN_KEY) } },
        baseUrl,
      )
      return [row.id, { ...mail, to: row.email === null ? [] : [row.email] }]
    }),
  )
}

/** The message with the key, or null when its link does not work any more. */
export async function withKey(
  scope: ShopScope,
  content: Content,
  link: string,
  parts: { secrets: Secrets; baseUrl: string; now: Date },
): Promise<Content | null> {
  const [found] = await readLinks(scope, parts.secrets, [link], parts.now)
  if (found?.status !== 'active') return null
  const fill = (text: string) =>
    text.replaceAll(linkAddress(parts.baseUrl, HIDDEN_KEY), linkAddress(parts.baseUrl, found.key))
  return {
    ...content,
    text: fill(content.text),
    ...(content.html ? { html: fill(content.html) } : {}),
  }
}

/** A name must not start a new line of the message. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const dayOf = (at: Date) => at.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
const count = (number: number, unit: string) =>
  `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`

/** `It works once, until January 31, 2026.` */
function termsOf(row: LinkRow): string {
  const { download_limit, downloads, expires_at, available_at, use_hours, first_used_at } = row
  const left = download_limit === null ? null : Math.max(0, download_limit - downloads)
  const times =
    left === null
      ? 'as often as you like'
      : left === 1
        ? 'once'
        : `${left.toLocaleString('en')} times`
  const rental =
    use_hours === null || first_used_at
      ? ''
      : ` for ${use_hours % 24 === 0 ? count(use_hours / 24, 'day') : count(use_hours, 'hour')} from the first download`
  const from =
    available_at && available_at > new Date() ? `From ${dayOf(available_at)} it works` : 'It works'
  return expires_at === null
    ? `${from} ${times}${rental}${rental === '' ? ' and does not expire' : ''}.`
    : `${from} ${times}${rental}, until ${dayOf(expires_at)}.`
}

/** Why the link cannot be sent, or null. */
export function unsendable({ email, status }: Pick<Link, 'email' | 'status'>): string | null {
  if (email === null) return sayPlain('It was created without an email address')
  return status === 'active' || status === 'not_released' ? null : REASONS[status]
}

const REASONS = {
  revoked: sayPlain('It was revoked'),
  withdrawn: sayPlain('Its file is in the trash, or lost its last product'),
  expired: sayPlain('It has expired'),
  exhausted: sayPlain('It has reached its download limit'),
} as const
