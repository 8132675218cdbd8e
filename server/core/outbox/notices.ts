// In-app notices. The engine raises them when an operation ends, the outbox when a message could
// not be delivered, and channels when an import or a schedule needs attention.
import { z } from 'zod'
import { english, say, textOf, type AnyText, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { firstOf } from '../lazy.ts'
import { toOperationId, toPublicId } from '../ids.ts'
import type { EndedMessage, MessageFailure } from './outbox.ts'
import { defineEvent, raiseEvent } from './webhook-events.ts'

export interface NoticeRow {
  id: string
  level: 'info' | 'success' | 'warning' | 'critical'
  title: string
  body: string
  title_text: Text
  body_text: Text
  operation_id: string | null
  kind: 'import' | 'bulk' | null
  /** A bare UUID: the delivery that it is about. */
  delivery_id: string | null
  created_at: Date
  read_at: Date | null
}

/** Titles of notices of deliveries whose address is missing or wrong. */
export const EMAIL_CAME_BACK = say('An email came back')
export const noAddressTitle = (order: string): Text =>
  say('Order {order} has no email address', { order })
const NO_ADDRESS = noAddressTitle('').message

/**
 * What is wrong with the address of the delivery, if correcting it is the answer to the notice.
 * Null: it is not.
 */
export function askedAddress({
  delivery_id,
  title,
  title_text,
}: NoticeRow): 'missing' | 'wrong' | null {
  if (delivery_id === null) return null
  if (title === EMAIL_CAME_BACK.message) return 'wrong'
  return title_text.message === NO_ADDRESS ? 'missing' : null
}

/** What the list of notices and the event `notice.created` say about a notice. */
export const noticeFields = {
  id: z.string(),
  level: z.enum(['info', 'success', 'warning', 'critical']),
  title: z.string(),
  body: z.string(),
  operation_id: z.string().nullable(),
  delivery_id: z.string().nullable(),
  created_at: z.iso.datetime(),
}

export const noticeCreated = defineEvent({
  name: 'notice.created',
  title: say('A notice appears'),
  about: 'A notice, in English',
  data: z.object(noticeFields),
})

/** A page of notices, newest first, with the number of the shop's unread notices. */
export async function listNotices(
  scope: ShopScope,
  page: { limit: number; before?: string },
): Promise<{ rows: NoticeRow[]; unread: number }> {
  const rows = await scope.query<NoticeRow>(
    `select n.id, n.level, n.title, n.body, n.title_text, n.body_text, n.operation_id, o.kind,
       n.delivery_id, n.created_at, n.read_at
     from notices n left join operations o on o.shop_id = n.shop_id and o.id = n.operation_id
     where n.shop_id = :shop and (:before::uuid is null or n.id < :before) order by n.id desc
       limit :limit`,
    { before: page.before ?? null, limit: page.limit },
  )
  return { rows, unread: await countUnread(scope) }
}

export interface NewNotice extends Pick<NoticeRow, 'level' | 'operation_id'> {
  title: AnyText
  body: AnyText
  /** A bare UUID. */
  delivery_id?: string | null
}

/** Raises a notice with its event. Must be called in the transaction of what it reports. */
export async function raiseNotice(
  tx: ShopScope,
  { level, operation_id, delivery_id = null, ...text }: NewNotice,
): Promise<void> {
  const written = { ...titleFields(text.title), ...bodyFields(text.body) }
  const { title, body } = written
  const row = firstOf(
    await tx
      .insert('notices', { level, operation_id, delivery_id, ...written })
      .returning<Pick<NoticeRow, 'id' | 'created_at'>[]>(['id', 'created_at']),
  )
  await raiseEvent(tx, noticeCreated, {
    key: row.id,
    operation: operation_id,
    data: {
      id: toPublicId('notice', row.id),
      level,
      title,
      body,
      operation_id: operation_id && (await operationIdOf(tx, operation_id)),
      delivery_id: delivery_id && toPublicId('delivery', delivery_id),
      created_at: row.created_at.toISOString(),
    },
  })
}

/** Raises a notice, unless the shop has an unread one with the same title and operation. */
export async function raiseNoticeOnce(tx: ShopScope, notice: NewNotice): Promise<void> {
  const same = await tx.query(
    `select from notices where shop_id = :shop and read_at is null and title = :title
       and operation_id is not distinct from :operation::uuid limit 1`,
    { title: english(notice.title), operation: notice.operation_id },
  )
  if (same.length === 0) await raiseNotice(tx, notice)
}

/**
 * Raises a notice about a message that did not reach everybody, in the transaction that records it. Not
 * by mail, which might not arrive either.
 */
export const raiseFailure = (
  tx: ShopScope,
  { operation_id }: EndedMessage,
  { status }: MessageFailure,
  text: { title: Text; body: Text },
): Promise<void> =>
  raiseNotice(tx, { level: status === 'failed' ? 'critical' : 'warning', ...text, operation_id })

/** The columns of a title: in English, and as data for other languages. */
export const titleFields = (title: AnyText) => ({
  title: english(title),
  title_text: JSON.stringify(textOf(title)),
})

const bodyFields = (body: AnyText) => ({
  body: english(body),
  body_text: JSON.stringify(textOf(body)),
})

async function operationIdOf(tx: ShopScope, id: string): Promise<string | null> {
  const [row] = await tx.query<{ kind: 'import' | 'bulk' }>(
    'select kind from operations where shop_id = :shop and id = :id',
    { id },
  )
  return row ? toOperationId(row.kind, id) : null
}

/**
 * Marks these notices, or all of them (`null`), as read; returns the number of notices that are
 * still unread.
 */
export async function markRead(scope: ShopScope, ids: readonly string[] | null): Promise<number> {
  await scope.query(
    `update notices set read_at = now() where shop_id = :shop and read_at is null
       and (:ids::uuid[] is null or id = any(:ids::uuid[]))`,
    { ids },
  )
  return countUnread(scope)
}

export async function countUnread(scope: ShopScope): Promise<number> {
  const row = await scope.one<{ unread: number }>(
    'select count(*) as unread from notices where shop_id = :shop and read_at is null',
  )
  return row.unread
}
