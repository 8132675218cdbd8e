// How a shop's mail to its buyers is sent: name and address for replies, and optionally its own mail
// server, or its own domain that this installation signs for.
import { z } from 'zod'
import {
  emailAddress,
  sayPlain,
  UNSAFE_CHARACTERS,
  sayFixed,
  type AnyText,
  type Text,
} from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { reasonColumns } from '../../core/texts.ts'
import type { DeliveryResult } from '../../core/outbox/outbox.ts'
import type { DnsRecord, MailDomain } from './dns-records.ts'
import { ownTextsSchema, type OwnMailTexts } from './texts.ts'

const MAX_NAME = 100
/** Ports of mail servers; others would make the connection a scanner of ports. */
export const MAIL_PORTS = [25, 465, 587, 2525] as const

export const SENDING_WAYS = ['installation', 'server', 'domain'] as const
export type SendingWay = (typeof SENDING_WAYS)[number]

const fields = {
  name: z
    .string()
    .trim()
    .min(1, sayPlain('Enter a name'))
    .max(MAX_NAME, sayFixed('Enter at most {count} characters', { count: MAX_NAME }))
    .refine(
      (name) => !UNSAFE_CHARACTERS.test(name) && !/[<>"]/.test(name),
      sayPlain('A name has no control characters and none of < > "'),
    )
    .nullable()
    .describe('The name that buyers see; null: that of the installation'),
  reply_to: emailAddress('Enter an email address')
    .nullable()
    .describe('Where answers of buyers go; null: to the sender'),
  way: z
    .enum(SENDING_WAYS)
    .describe(
      '`server`: the shop’s own mail server; `domain`: the installation’s server, signed for the shop’s domain. Each counts once it is confirmed',
    ),
}

export const senderChange = z.strictObject(fields).partial().meta({ id: 'MailSettingsChange' })

const senderSchema = z.object({
  name: fields.name.default(null),
  reply_to: fields.reply_to.default(null),
  way: fields.way.default('installation'),
})
export type SenderSettings = z.output<typeof senderSchema>

/** A name or an address without a port; checked again where the socket is opened. */
const host = z
  .string()
  .trim()
  .toLowerCase()
  .max(253, sayPlain('A name has at most 253 characters'))
  .regex(
    /^(?=.*[a-z0-9])[a-z0-9.:_-]+$/,
    sayPlain('Enter the name of your mail server, like smtp.example.com'),
  )

export const serverChange = z
  .strictObject({
    host,
    port: z.number().int().min(1).max(65_535),
    security: z
      .enum(['tls', 'starttls', 'none'])
      .describe(
        '`tls`: from the beginning (port 465); `starttls`: required after the greeting (587)',
      ),
    user: z.string().trim().max(255, sayPlain('At most 255 characters')).default(''),
    password: z
      .string()
      .max(500, sayPlain('At most 500 characters'))
      .optional()
      .meta({ description: 'Absent: the saved one', sensitive: true }),
    from: emailAddress('Enter the address that mails are sent from'),
    reports: z
      .boolean()
      .default(false)
      .describe(
        'Mails that come back are reported to the installation: its address is the sender of the envelope, which the server must accept. Only with `reports_offered`',
      ),
  })
  .meta({ id: 'MailServerChange' })

/** The last test mail through the shop's own server. */
export interface ServerTest {
  /** An HMAC of the code. */
  hash: string
  /** ISO 8601. */
  expires_at: string
  /** Wrong codes so far. */
  wrong: number
  to: string
}

export interface ShopMailServer {
  host: string
  port: number
  security: 'tls' | 'starttls' | 'none'
  user: string
  from: string
  /** Reports about mails go to the installation; otherwise to `from`. */
  reports: boolean
}

export interface MailSettings {
  sender: SenderSettings
  server: ShopMailServer | null
  serverPassword: Buffer | null
  serverTest: ServerTest | null
  serverConfirmedAt: Date | null
  domain: MailDomain | null
  domainKey: Buffer | null
  domainRecords: readonly DnsRecord[] | null
  domainCheckedAt: Date | null
  domainConfirmedAt: Date | null
  texts: OwnMailTexts
}

interface Row {
  sender: unknown
  server: ShopMailServer | null
  server_password: Buffer | null
  server_test: ServerTest | null
  server_confirmed_at: Date | null
  domain: MailDomain | null
  domain_key: Buffer | null
  domain_records: readonly DnsRecord[] | null
  domain_checked_at: Date | null
  domain_confirmed_at: Date | null
  texts: unknown
}

export async function readMailSettings(scope: ShopScope): Promise<MailSettings> {
  const [row] = await scope.query<Row>(
    `select sender, server, server_password, server_test, server_confirmed_at, domain, domain_key,
       domain_records, domain_checked_at, domain_confirmed_at, texts
     from mail_settings where shop_id = :shop`,
  )
  return {
    sender: senderSchema.parse(row?.sender ?? {}),
    server: row?.server ?? null,
    serverPassword: row?.server_password ?? null,
    serverTest: row?.server_test ?? null,
    serverConfirmedAt: row?.server_confirmed_at ?? null,
    domain: row?.domain ?? null,
    domainKey: row?.domain_key ?? null,
    domainRecords: row?.domain_records ?? null,
    domainCheckedAt: row?.domain_checked_at ?? null,
    domainConfirmedAt: row?.domain_confirmed_at ?? null,
    texts: ownTextsSchema.parse(row?.texts ?? {}),
  }
}

/** Changes the given settings and leaves the others. */
export async function changeSender(
  scope: ShopScope,
  change: z.output<typeof senderChange>,
): Promise<void> {
  await scope.query(
    `insert into mail_settings as m (shop_id, sender) values (:shop, :change::jsonb)
     on conflict (shop_id) do update set sender = m.sender || excluded.sender`,
    { change: JSON.stringify(change) },
  )
}

/** The way by which the next mail is sent: an unconfirmed one is not used. */
export function wayOf(settings: MailSettings): SendingWay {
  const { way } = settings.sender
  if (way === 'server' && settings.server && settings.serverConfirmedAt) return 'server'
  if (way === 'domain' && settings.domain && settings.domainConfirmedAt) return 'domain'
  return 'installation'
}

// Addresses of buyers that do not exist, as a mail server said: nothing more is sent to them until the
// shop corrects or allows them. Repeated mails to unknown addresses make receivers distrust the sender.
// Addresses that reported a mail as spam get no news, but still what they bought.

/** The result of a mail to a blocked address. */
export const BLOCKED: DeliveryResult & { status: 'failed' } = {
  status: 'failed',
  reason: sayPlain(
    'An earlier mail to this address came back, because it does not exist. Correct the address, or allow it again',
  ),
  blocked: true,
}

/** The result of news to an address that reported a mail as spam. */
export const COMPLAINED: DeliveryResult & { status: 'failed' } = {
  status: 'failed',
  reason: sayPlain(
    'This address reported a mail as spam, so it gets no mails about new versions and added files. Send it from the delivery, or allow the address again',
  ),
}

/** `news`: mails that the buyer can do without are not sent. */
export type BlockKind = 'all' | 'news'

/** Those of the addresses that are blocked, in lower case. */
export async function blockedAmong(
  scope: ShopScope,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, BlockKind>> {
  if (addresses.length === 0) return new Map()
  const rows = await scope.query<{ email: string; complaint: boolean }>(
    'select email, complaint from mail_blocks where shop_id = :shop and email = any(:emails::text[])',
    { emails: addresses.map((address) => address.toLowerCase()) },
  )
  return new Map(rows.map(({ email, complaint }) => [email, complaint ? 'news' : 'all']))
}

export async function blockAddress(
  tx: ShopScope,
  email: string,
  because: AnyText,
  kind: BlockKind = 'all',
): Promise<void> {
  const { reason, reasonText } = reasonColumns(because)
  await tx.query(
    `insert into mail_blocks as b (shop_id, email, reason, reason_text, complaint)
     values (:shop, lower(:email), :reason, :reasonText, :complaint)
     on conflict (shop_id, email) do update set reason = excluded.reason,
       reason_text = excluded.reason_text, complaint = false
     where b.complaint and not excluded.complaint`,
    { email, reason, reasonText, complaint: kind === 'news' },
  )
}

/** Idempotent. Mails to the address are sent again, and deliveries to it can be reached. */
export async function allowAddress(scope: ShopScope, email: string): Promise<boolean> {
  return scope.transaction(async (tx) => {
    const rows = await tx.query(
      'delete from mail_blocks where shop_id = :shop and email = lower(:email) returning 1',
      { email },
    )
    await tx.query(
      `update deliveries d set bounced_at = null from orders o
       where d.shop_id = :shop and d.bounced_at is not null and o.shop_id = d.shop_id
         and o.id = d.order_id and lower(coalesce(d.email, o.email)) = lower(:email)`,
      { email },
    )
    return rows.length > 0
  })
}

export interface BlockedAddress {
  email: string
  reason: string
  reason_text: Text | null
  /** It reported a mail as spam: only news is not sent to it. */
  complaint: boolean
  created_at: Date
}

/** In the order of the addresses, after the given one. */
export const listBlocked = (
  scope: ShopScope,
  page: { limit: number; after?: string | undefined },
): Promise<BlockedAddress[]> =>
  scope.query<BlockedAddress>(
    `select email, reason, reason_text, complaint, created_at from mail_blocks where shop_id = :shop
       and (:after::text is null or email > :after::text) order by email limit :limit`,
    { limit: page.limit, after: page.after ?? null },
  )

/**
 * Marks the deliveries of these messages (bare UUIDs): their last mail did not arrive. Messages
 * about other things are ignored.
 */
export async function markBounced(tx: ShopScope, messages: readonly string[]): Promise<void> {
  await tx.query(
    `update deliveries d set bounced_at = now() from outbox m
     where m.shop_id = :shop and m.id = any(:messages::uuid[]) and d.shop_id = m.shop_id
       and d.id = (m.payload ->> 'delivery')::uuid
       -- Another address was entered in the meantime.
       and (m.result is null or coalesce(d.email, (select o.email from orders o
         where o.shop_id = d.shop_id and o.id = d.order_id)) = any(select
           jsonb_array_elements_text(m.result -> 'to')))`,
    { messages },
  )
}
