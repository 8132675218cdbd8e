// Sent and failed messages: email to the shop's recipients, and callbacks of operations.
import { say } from '../../../plugins/contract/index.ts'
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { requirePublicId, toOperationId, toPublicId } from '../../core/ids.ts'
import { listMessages, readMessage, resendMessage, type MessageRow } from './messages.ts'
import { buyersOf } from '../orders/delivery-mail.ts'
import { mailProgressRoute } from './mail-progress.ts'
import { MESSAGE_KINDS, MESSAGE_STATUSES } from '../../core/outbox/outbox.ts'
import { listReports, REPORT_EVENTS } from '../mail/reports.ts'
import { webhookSecret } from '../../core/outbox/signatures.ts'
import type { Secrets } from '../../core/secrets.ts'
import { present } from '../../core/lazy.ts'
import { fromCursor, uuid, listPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema, listOf, messageText, page, timestamp } from '../../http/schemas.ts'

const endpoint = endpointsOf({ tag: 'Messages' })

export const messageSchema = z
  .object({
    id: z.string(),
    kind: z.enum(MESSAGE_KINDS),
    to: z.array(z.string()),
    subject: z.string(),
    text: z.string().describe('The email as text, or the body that was posted'),
    status: z
      .enum(MESSAGE_STATUSES)
      .describe(
        '`sent`: the mail server accepted it; `bounced`: it came back later; `complained`: it was reported as spam; `unknown`: it may or may not have arrived, and is not sent again automatically',
      ),
    attempts: z.number().int(),
    error: z.string().nullable().describe('Why the last attempt failed, or why it came back'),
    error_text: messageText,
    reply: z.string().nullable().describe('The words with which the mail server accepted it'),
    sender: z.string().nullable().describe('The address in `From`'),
    kept: z.boolean().describe('No mail server is configured: it was stored and not sent'),
    created_at: timestamp,
    sent_at: timestamp.nullable(),
    operation_id: z.string().nullable(),
  })
  .meta({ id: 'Message' })

const messageDetailSchema = messageSchema
  .extend({
    events: z
      .array(
        z.object({
          at: timestamp,
          event: z.enum(REPORT_EVENTS),
          permanent: z.boolean().describe('The address is wrong'),
          recipient: z.string().nullable(),
          code: z.string().nullable().describe('The status code, like 5.1.1'),
          reason: z.string().describe('The words of the server'),
        }),
      )
      .describe('What mail servers reported about it, oldest first'),
  })
  .meta({ id: 'MessageDetail' })

export function messageRoutes(parts: { secrets: Secrets; baseUrl: string }): Endpoint[] {
  return [
    list(parts.baseUrl),
    read(parts.baseUrl),
    send(parts.baseUrl),
    signingSecret(parts.secrets),
    mailProgressRoute(),
    buyers(),
  ]
}

const buyers = () =>
  endpoint('GET /api/files/{id}/buyers', {
    summary: 'Count the buyers that an email about a file reaches',
    scope: 'files:read',
    description:
      'Deliveries with an email address that contain the file: `POST /api/operations` with the action `tell-buyers` sends each one email.',
    replies: {
      200: { description: 'Their number', schema: z.object({ buyers: z.number().int() }) },
    },
    handler: async ({ caller: { scope }, params }) => {
      const id = requirePublicId('file', params.id)
      const isThere = await scope.has('select from files where shop_id = :shop and id = :id', {
        id,
      })
      if (!isThere) throw new AppError('not_found')
      return { body: { buyers: (await buyersOf(scope, [id])).get(id)?.length ?? 0 } }
    },
  })

const list = (baseUrl: string) =>
  endpoint('GET /api/messages', {
    summary: 'List messages, newest first',
    description:
      'Content, recipients and status of messages. A waiting message is shown as it would be sent now.',
    scope: 'operations:read',
    query: z.strictObject({
      ...page,
      kind: z.enum(MESSAGE_KINDS).default('email'),
      status: z.enum(MESSAGE_STATUSES).optional(),
    }),
    replies: { 200: { description: 'A page of messages', schema: listOf(messageSchema) } },
    handler: async ({ caller, query }) => {
      const before = fromCursor(query.cursor, [uuid])?.[0]
      const filter = {
        limit: query.limit + 1,
        kind: query.kind,
        ...(query.status ? { status: query.status } : {}),
        ...(before ? { before } : {}),
      }
      const rows = await listMessages(caller.scope, filter, baseUrl)
      return { body: listPage(rows, query.limit, (last) => [last.id], messageRecord) }
    },
  })

const read = (baseUrl: string) =>
  endpoint('GET /api/messages/{id}', {
    summary: 'Read a message',
    description: 'With what was reported about it.',
    scope: 'operations:read',
    replies: { 200: { description: 'The message', schema: messageDetailSchema } },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('message', params.id)
      const message = await readMessage(caller.scope, id, baseUrl)
      if (!message) throw new AppError('not_found')
      const events = await listReports(caller.scope, id)
      const shown = events.map((event) => ({ ...event, at: event.at.toISOString() }))
      return { body: { ...messageRecord(message), events: shown } }
    },
  })

const send = (baseUrl: string) =>
  endpoint('POST /api/messages/{id}/send', {
    summary: 'Send a message again',
    description:
      'To the recipients in the current settings, or to the address that the buyer’s delivery has now; its text and its id stay the same.',
    scope: 'operations:write',
    replies: {
      202: { description: 'It waits to be sent', schema: messageSchema },
      409: { description: 'It is being sent now', schema: errorSchema },
    },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('message', params.id)
      if (!(await readMessage(caller.scope, id, baseUrl))) throw new AppError('not_found')
      if (!(await resendMessage(caller.scope, id)))
        throw new AppError('conflict', {
          message: say('This message is being sent at this moment'),
        })
      const message = present(await readMessage(caller.scope, id, baseUrl), 'The message')
      return { status: 202, body: messageRecord(message) }
    },
  })

const signingSecret = (secrets: Secrets) =>
  endpoint('GET /api/webhooks/secret', {
    summary: 'Read the secret that callbacks are signed with',
    description:
      'Callbacks follow Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`.',
    scope: 'settings:write',
    replies: { 200: { description: 'The secret', schema: z.object({ secret: z.string() }) } },
    handler: ({ caller }) =>
      Promise.resolve({ body: { secret: webhookSecret(secrets, caller.scope.shop) } }),
  })

export const messageRecord = (message: MessageRow): z.output<typeof messageSchema> => ({
  id: toPublicId('message', message.id),
  kind: message.kind,
  to: [...message.to],
  subject: message.subject,
  text: message.text,
  status: message.status,
  attempts: message.attempts,
  error: message.error,
  error_text: message.error_text ?? undefined,
  kept: message.kept ?? false,
  reply: message.reply ?? null,
  sender: message.sender ?? null,
  created_at: message.created_at.toISOString(),
  sent_at: message.sent_at?.toISOString() ?? null,
  operation_id:
    message.operation_id &&
    message.operation_kind &&
    toOperationId(message.operation_kind, message.operation_id),
})
