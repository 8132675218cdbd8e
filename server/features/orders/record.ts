// A delivery as every answer shows it.
import { z } from 'zod'
import { FILE_SETTINGS, sayPlain, type AnyText } from '../../../plugins/contract/index.ts'
import { toPublicId } from '../../core/ids.ts'
import { storedReason } from '../../core/texts.ts'
import { MESSAGE_STATUSES } from '../../core/outbox/outbox.ts'
import type { Secrets } from '../../core/secrets.ts'
import { messageText, timestamp } from '../../http/schemas.ts'
import { REFUSED_REASONS } from '../downloads/refused-attempts.ts'
import type { ShownOpening } from '../downloads/gates/openings.ts'
import { shownAskSchema } from '../links/model/ask-terms.ts'
import { shownAskOf, linkAddress, LINK_STATUSES } from '../links/model/links.ts'
import type { DeliveryExtras } from './extras.ts'
import { openPhone } from './delivery-text.ts'
import type { DeliveryDetail, DeliverySummary, RefusedDownload } from './deliveries.ts'
import { DELIVERY_STATUSES } from './entitlement.ts'

export const refusedReasonSchema = z
  .enum(REFUSED_REASONS)
  .describe('`not_prepared`: the shop’s workflow has not prepared the file')

const messageStatus = z.enum(MESSAGE_STATUSES)
const messageKind = z.enum(['email', 'sms'])
const kept = z.boolean().describe('There is no mail server: the mail was stored and not sent')

export const deliverySchema = z
  .object({
    id: z.string(),
    order_id: z.string().describe('The platform’s id of the order'),
    order_name: z.string(),
    confirmation_number: z.string().nullable(),
    email: z.string().nullable(),
    phone: z
      .string()
      .nullable()
      .describe(
        'The number for a text to a buyer without an email address; only with `links:write`',
      ),
    locale: z.string().nullable(),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe(
        '`withdrawn`: the order no longer entitles its buyer; `revoked`: revoked by the shop, which is final',
      ),
    reason: z.string().nullable().describe('Why it, or one of its files, is not ready'),
    reason_text: messageText,
    hold: z
      .object({
        by: z.enum(['risk', 'merchant', 'workflow']),
        recommendation: z.string().nullable(),
        since: timestamp.nullable(),
      })
      .nullable(),
    url: z.url().nullable().describe('The buyer’s page; only with `links:write`'),
    files: z.number().int(),
    blocked_files: z
      .number()
      .int()
      .describe(
        'Of them, those that the buyer cannot download, or cannot view: used up, expired, or not prepared',
      ),
    blocked_by: z
      .object({
        used_up: z.number().int(),
        expired: z.number().int(),
        not_prepared: z.number().int(),
        views_used_up: z.number().int(),
        views_expired: z.number().int(),
      })
      .describe(
        'Why: a file may be used up and expired. One that is only viewed counts in `views_used_up` and `views_expired` alone',
      ),
    downloads: z.number().int(),
    size_bytes: z.number().int(),
    opened_at: timestamp.nullable(),
    last_download_at: timestamp.nullable(),
    sent: z
      .object({
        message_id: z.string(),
        kind: messageKind,
        status: messageStatus,
        kept,
        error: z.string().nullable().describe('Why it was not delivered'),
        error_text: messageText,
        at: timestamp,
      })
      .nullable()
      .describe('The last email or text message about it'),
    bounced_at: timestamp
      .nullable()
      .describe(
        'The last email came back, or the last text message was not sent: correct the address or the number, or send it again',
      ),
    asked: z
      .object({ at: timestamp, email: z.string().nullable(), message: z.string().nullable() })
      .nullable()
      .describe('The buyer asked for more and has no answer yet'),
    created_at: timestamp,
    updated_at: timestamp,
    order_read_at: timestamp.describe(
      'When the order was last read from the platform: the state follows it',
    ),
  })
  .meta({ id: 'Delivery' })

export const openingSchema = z.object({
  at: timestamp,
  file_id: z.string().nullable().describe('Null: the page of a pack'),
  filename: z.string().nullable(),
  email: z.string().nullable().describe('The address that was entered; null: a password'),
  address: z.string().describe('Shortened: 203.0.113.0/24'),
  agent: z.string().describe('The program: Chrome (Windows)'),
})

export const refusalSchema = z.object({
  at: timestamp,
  file_id: z.string().nullable().describe('Null: the page, or all files as one ZIP file'),
  filename: z.string().nullable(),
  code: refusedReasonSchema,
  times: z.number().int().describe('Attempts within the same minute for the same reason'),
  address: z.string().describe('Shortened: 203.0.113.0/24'),
  agent: z.string().describe('The program: Chrome (Windows)'),
})

export const openingRecord = (one: ShownOpening): z.output<typeof openingSchema> => ({
  ...one,
  at: one.at.toISOString(),
  file_id: one.file_id && toPublicId('file', one.file_id),
})

export const refusalRecord = ({
  reason,
  ...refused
}: RefusedDownload): z.output<typeof refusalSchema> => ({
  ...refused,
  code: reason,
  at: refused.at.toISOString(),
  file_id: refused.file_id && toPublicId('file', refused.file_id),
})

export const deliveryDetailSchema = deliverySchema
  .extend({
    file_list: z.array(
      z.object({
        file_id: z.string(),
        filename: z.string(),
        size_bytes: z.number().int(),
        status: z.enum(LINK_STATUSES),
        preparing: z
          .boolean()
          .describe('The shop’s workflow has not prepared it: the buyer cannot download it yet'),
        expires_at: timestamp.nullable(),
        available_at: timestamp
          .nullable()
          .describe('When it becomes available, or did; null: when the buyer bought it'),
        first_use_hours: z
          .number()
          .int()
          .nullable()
          .describe('It expires this many hours after the first use; null: the use ends nothing'),
        first_used_at: timestamp.nullable(),
        customer_tag: z
          .string()
          .nullable()
          .describe('The tag that the customer must have; null: none'),
        tag_problem: z
          .enum(['missing', 'guest'])
          .nullable()
          .describe(
            'Why the tag closes the file: the customer does not have it, or the order has no customer',
          ),
        ask_for: shownAskSchema,
        download_limit: z.number().int().nullable(),
        downloads: z.number().int(),
        view: FILE_SETTINGS.view.schema.describe(
          'What the buyer may do with it now: `download` for types that no browser shows',
        ),
        view_limit: z.number().int().nullable().describe('Null: unlimited'),
        views: z.number().int().describe('Those that were counted: without `view_limit` none are'),
        view_expires_at: timestamp
          .nullable()
          .describe(
            'When it can be viewed no longer, before or after `expires_at`; null: as long as it is valid',
          ),
        last_download_at: timestamp.nullable(),
        added: z
          .boolean()
          .describe('The shop added it to this order; otherwise it belongs to one of its lines'),
        licence_key: z
          .string()
          .nullable()
          .describe('Licence keys of the buyer, separated by commas; only with `links:write`'),
      }),
    ),
    lines: z.array(
      z.object({
        line_id: z.string(),
        title: z.string(),
        sku: z.string().nullable(),
        quantity: z
          .number()
          .int()
          .describe('Units that are paid: those that an edit adds count once they are paid'),
        entitled: z.boolean(),
        files: z.number().int(),
      }),
    ),
    messages: z.array(
      z.object({
        id: z.string(),
        kind: messageKind,
        to: z.array(z.string()),
        subject: z.string(),
        status: messageStatus,
        kept,
        error: z.string().nullable(),
        error_text: messageText,
        created_at: timestamp,
        sent_at: timestamp.nullable(),
        due_at: timestamp
          .nullable()
          .describe(
            'It is not sent before (`mail_delay_minutes`); null: it does not wait for a time',
          ),
      }),
    ),
    download_list: z
      .array(
        z.object({
          at: timestamp,
          file_id: z.string(),
          filename: z.string(),
          address: z.string(),
          agent: z.string(),
        }),
      )
      .describe('The last downloads of files with tracking, newest first'),
    views: z
      .array(
        z.object({
          at: timestamp.describe('The last request of its hour'),
          file_id: z.string(),
          filename: z.string(),
          address: z.string().describe('Shortened: 203.0.113.0/24'),
          agent: z.string().describe('The program: Chrome (Windows)'),
        }),
      )
      .describe(
        'Files that were read or played in a browser, newest first: one for each link and hour; 20 of each link are kept',
      ),
    openings: z
      .array(openingSchema)
      .describe(
        'Who answered what a link asks for, newest first: one for each link, address and minute; 50 of each link are kept',
      ),
    refusals: z
      .array(refusalSchema)
      .describe(
        'The last downloads that the buyer was refused, newest first; 20 of each link are kept',
      ),
  })
  .meta({ id: 'DeliveryDetail' })

export type DeliveryFileRecord = z.output<typeof deliveryDetailSchema>['file_list'][number]

export interface RecordParts {
  shop: number
  secrets: Secrets
  baseUrl: string
  /** The reader may see the buyer's address. */
  mayUse: boolean
}

const text = (at: Date | null): string | null => at?.toISOString() ?? null

export function deliveryRecord(
  row: DeliverySummary,
  { shop, secrets, baseUrl, mayUse }: RecordParts,
): z.output<typeof deliverySchema> {
  const { message, ask } = row
  const reason = reasonOf(row)
  return {
    id: toPublicId('delivery', row.id),
    order_id: row.order_id,
    order_name: row.order_name,
    confirmation_number: row.confirmation_number,
    email: row.email,
    locale: row.locale,
    status: row.status,
    phone: mayUse && row.email === null && row.phone ? openPhone(secrets, shop, row.phone) : null,
    ...(reason === null ? { reason } : storedReason(reason)),
    hold: row.held_by && {
      by: row.held_by,
      since: text(row.held_at),
      recommendation: row.held_by === 'risk' ? row.recommendation : null,
    },
    url: mayUse
      ? linkAddress(baseUrl, secrets.linkKey(row.link_id, row.rotation, row.key_hash))
      : null,
    files: row.files,
    blocked_files: row.blocked,
    downloads: row.downloads,
    blocked_by: {
      used_up: row.used_up,
      expired: row.expired,
      not_prepared: row.not_prepared,
      views_used_up: row.views_used_up,
      views_expired: row.views_expired,
    },
    size_bytes: row.size_bytes,
    opened_at: text(row.opened_at),
    last_download_at: text(row.last_download_at),
    sent: message && {
      message_id: toPublicId('message', message.id),
      kind: messageKind.parse(message.kind),
      status: messageStatus.parse(message.status),
      kept: message.kept,
      error: message.error,
      error_text: message.error_text ?? undefined,
      at: new Date(message.at).toISOString(),
    },
    bounced_at: text(row.bounced_at),
    asked: ask && { at: ask.at, email: ask.email, message: ask.message },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    order_read_at: row.read_at.toISOString(),
  }
}

export const deliveryDetailRecord = (
  row: DeliveryDetail,
  extras: ReadonlyMap<string, DeliveryExtras>,
  parts: RecordParts,
): z.output<typeof deliveryDetailSchema> => ({
  ...deliveryRecord(row, parts),
  file_list: row.file_list.map((file) => ({
    file_id: toPublicId('file', file.file_id),
    filename: file.filename,
    size_bytes: file.size_bytes,
    status: file.status,
    preparing: file.preparing,
    download_limit: file.download_limit,
    downloads: file.downloads,
    view: file.view,
    view_limit: file.view_limit,
    views: file.views,
    view_expires_at: text(file.view_expires_at),
    expires_at: text(file.expires_at),
    available_at: text(file.available_at),
    first_use_hours: file.use_hours,
    first_used_at: text(file.first_used_at),
    customer_tag: file.customer_tag,
    tag_problem: file.tag_problem,
    ask_for: shownAskOf(file.asks),
    last_download_at: text(file.last_download_at),
    added: file.added,
    licence_key: parts.mayUse ? extras.get(file.file_id)?.licence_keys.join(', ') || null : null,
  })),
  lines: row.lines,
  messages: row.messages.map((message) => ({
    id: toPublicId('message', message.id),
    kind: messageKind.parse(message.kind),
    to: message.to,
    subject: message.subject,
    error: message.error,
    error_text: message.error_text ?? undefined,
    status: messageStatus.parse(message.status),
    kept: message.kept,
    created_at: message.created_at.toISOString(),
    sent_at: text(message.sent_at),
    due_at: text(message.due_at),
  })),
  download_list: row.download_list.map((download) => ({
    at: download.at.toISOString(),
    file_id: toPublicId('file', download.file_id),
    filename: download.filename,
    address: download.address,
    agent: download.agent,
  })),
  views: row.view_list.map((view) => ({
    ...view,
    at: view.at.toISOString(),
    file_id: toPublicId('file', view.file_id),
  })),
  openings: row.opening_list.map(openingRecord),
  refusals: row.refused_list.map(refusalRecord),
})

function reasonOf(row: DeliverySummary): AnyText | null {
  // Some of its files could not be prepared.
  if (row.status === 'ready') return row.held_because
  if (row.status === 'revoked') return sayPlain('You revoked it.')
  if (row.held_by === 'workflow' && row.status === 'held')
    return row.held_because ?? sayPlain('Its workflow prepares the files.')
  if (row.status === 'held')
    return row.held_by === 'merchant'
      ? sayPlain('You hold it.')
      : sayPlain('The platform advises against this order: release the delivery, or revoke it.')
  if (row.cancelled_at) return sayPlain('The order was cancelled.')
  if (row.financial_status === 'REFUNDED') return sayPlain('The order was refunded.')
  if (['VOIDED', 'EXPIRED'].includes(row.financial_status ?? ''))
    return sayPlain('The order is not paid.')
  // A balance, as after an edit, takes no line back.
  return sayPlain('Its lines were refunded or removed.')
}
