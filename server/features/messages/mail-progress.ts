// How many of an operation's emails to buyers were sent, and until when the others wait.
import { z } from 'zod'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId } from '../../core/ids.ts'
import { endpoint } from '../../http/endpoint.ts'
import { timestamp } from '../../http/schemas.ts'
import { NOT_FAILURES } from '../orders/mail-writer.ts'

interface MailProgress {
  /** Without those that another one replaces. */
  total: number
  sent: number
  /** Also those that are being sent. */
  waiting: number
  failed: number
  /** When the last one is sent; null: none waits for a time. */
  ends_at: Date | null
}

/** Exported for tests of the feature that queues the emails. */
export const readMailProgress = (scope: ShopScope, operation: string): Promise<MailProgress> =>
  scope.one<MailProgress>(
    `select count(*)::int as total, count(*) filter (where status in ('sent', 'complained'))::int as sent,
       count(*) filter (where status in ('waiting', 'sending'))::int as waiting,
       count(*) filter (where status in ('failed', 'unknown', 'bounced'))::int as failed,
       max(due_at) filter (where status = 'waiting' and due_at > now()) as ends_at
     from outbox where shop_id = :shop and operation_id = :operation and kind = 'email'
       and not (status = 'failed' and coalesce(error, '') = any(:notFailures::text[]))`,
    { operation, notFailures: NOT_FAILURES },
  )

const progressSchema = z
  .object({
    total: z.number().int(),
    sent: z.number().int(),
    waiting: z.number().int().describe('Not sent yet'),
    failed: z.number().int().describe('Also those that came back, or of which it is unknown'),
    ends_at: timestamp.nullable().describe('When the last one is sent, if they are sent at a rate'),
  })
  .meta({ id: 'OperationMails' })

export const mailProgressRoute = () =>
  endpoint('GET /api/operations/{id}/mails', {
    summary: 'Count the emails of an operation',
    description: 'How many were sent, and until when the others wait.',
    tag: 'Messages',
    scope: 'operations:read',
    replies: { 200: { description: 'The numbers', schema: progressSchema } },
    handler: async ({ caller: { scope }, params }) => {
      const id = requirePublicId(['import', 'op'], params.id)
      const known = await scope.query('select from operations where shop_id = :shop and id = :id', {
        id,
      })
      if (known.length === 0) throw new AppError('not_found')
      const { ends_at, ...counts } = await readMailProgress(scope, id)
      return { body: { ...counts, ends_at: ends_at?.toISOString() ?? null } }
    },
  })
