// Notices in the page: what ended, what failed, and how many are unread.
import { z } from 'zod'
import { requirePublicId, toOperationId, toPublicId } from '../../core/ids.ts'
import {
  askedAddress,
  listNotices,
  markRead,
  noticeFields,
  type NoticeRow,
} from '../../core/outbox/notices.ts'
import { fromCursor, listPage, uuid } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { listOf, page, textSchema, timestamp } from '../../http/schemas.ts'

const endpoint = endpointsOf({ tag: 'Notices' })

const noticeSchema = z
  .object({
    ...noticeFields,
    title_text: textSchema,
    body_text: textSchema,
    asks_for_address: z.enum(['missing', 'wrong']).nullable().meta({
      description:
        'What is wrong with the address of the delivery: correcting it sends the email. Null: nothing',
    }),
    read_at: timestamp.nullable(),
  })
  .meta({ id: 'Notice' })

const unread = z.number().int()

export function noticeRoutes(): Endpoint[] {
  return [
    endpoint('GET /api/notices', {
      summary: 'List notices, newest first',
      scope: 'operations:read',
      query: z.strictObject(page),
      replies: {
        200: { description: 'A page of notices', schema: listOf(noticeSchema).extend({ unread }) },
      },
      handler: async ({ caller, query }) => {
        const before = fromCursor(query.cursor, [uuid])?.[0]
        const { rows, unread } = await listNotices(caller.scope, {
          limit: query.limit + 1,
          ...(before ? { before } : {}),
        })
        return { body: { ...listPage(rows, query.limit, (last) => [last.id], recordOf), unread } }
      },
    }),
    endpoint('POST /api/notices/read', {
      summary: 'Mark notices as read',
      scope: 'operations:write',
      body: z.union([
        z.strictObject({ ids: z.array(z.string()).min(1).max(250) }),
        z.strictObject({ all: z.literal(true) }),
      ]),
      replies: { 200: { description: 'How many are unread now', schema: z.object({ unread }) } },
      handler: async ({ caller, body }) => {
        const ids = 'all' in body ? null : body.ids.map((id) => requirePublicId('notice', id))
        return { body: { unread: await markRead(caller.scope, ids) } }
      },
    }),
  ]
}

const recordOf = (notice: NoticeRow): z.output<typeof noticeSchema> => ({
  id: toPublicId('notice', notice.id),
  level: notice.level,
  title: notice.title,
  body: notice.body,
  title_text: notice.title_text,
  body_text: notice.body_text,
  operation_id:
    notice.operation_id && notice.kind && toOperationId(notice.kind, notice.operation_id),
  delivery_id: notice.delivery_id && toPublicId('delivery', notice.delivery_id),
  asks_for_address: askedAddress(notice),
  created_at: notice.created_at.toISOString(),
  read_at: notice.read_at?.toISOString() ?? null,
})
