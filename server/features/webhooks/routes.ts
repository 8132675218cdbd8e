// Webhooks: addresses that receive the shop's events, and the messages sent to each.
import { z } from 'zod'
import { say, english, sayFixed } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId } from '../../core/ids.ts'
import { MESSAGE_STATUSES } from '../../core/outbox/outbox.ts'
import { listMessages, readMessage, resendMessage } from '../messages/messages.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  MAX_WEBHOOKS,
  readWebhook,
  rotateSecret,
  sendTest,
  type CreatedWebhook,
} from './webhooks.ts'
import type { Secrets } from '../../core/secrets.ts'
import { fromCursor, uuid, listPage, cutPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint, type Reply } from '../../http/endpoint.ts'
import { requireReachable, type Reach } from '../../http/auth.ts'
import { errorSchema, listOf, page, textSchema, pageOfWhole } from '../../http/schemas.ts'
import { messageRecord, messageSchema } from '../messages/routes.ts'
import { webhookRecord, webhookSchemas, type WebhookSchemas } from './record.ts'
import type { WebhookEvent } from '../../core/outbox/webhook-events.ts'
import { present } from '../../core/lazy.ts'

const MAX_HOURS = 168

const endpoint = endpointsOf({ tag: 'Webhooks', scope: 'settings:write' })

interface WebhookParts {
  secrets: Secrets
  baseUrl: string
  reach: Reach
  /** The events that features declare. */
  events: readonly WebhookEvent[]
  clock: () => Date
}

interface Parts extends WebhookParts {
  schemas: WebhookSchemas
}

export function webhookRoutes(given: WebhookParts): Endpoint[] {
  const parts = { ...given, schemas: webhookSchemas(given.events) }
  return [
    list(parts),
    listEvents(parts),
    create(parts),
    read(parts),
    change(parts),
    remove(),
    rotate(parts),
    test(parts),
    deliveries(parts),
    replay(parts),
  ]
}

const list = ({ schemas }: Parts) =>
  endpoint('GET /api/webhooks', {
    summary: 'List webhooks, oldest first',
    query: z.strictObject(pageOfWhole),
    replies: {
      200: { description: `All of them: at most ${MAX_WEBHOOKS}`, schema: listOf(schemas.webhook) },
    },
    handler: async ({ caller, query }) => ({
      body: cutPage((await listWebhooks(caller.scope)).map(webhookRecord), query, ({ id }) => id),
    }),
  })

const eventSchema = z
  .object({
    name: z.string(),
    title: z.string().describe('When it is sent'),
    title_text: textSchema,
    about: z.string().describe('The meaning of its `data`'),
  })
  .meta({ id: 'WebhookEvent' })

const listEvents = ({ events }: Parts) =>
  endpoint('GET /api/webhook-events', {
    summary: 'List the events that webhooks can receive',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'All of them', schema: listOf(eventSchema) } },
    handler: ({ query }) => {
      const data = events.map(({ name, title, about }) => ({
        name,
        title: english(title),
        title_text: title,
        about,
      }))
      return Promise.resolve({ body: cutPage(data, query, ({ name }) => name) })
    },
  })

const create = ({ secrets, reach, schemas }: Parts) =>
  endpoint('POST /api/webhooks', {
    logs: { kind: 'webhook' },
    summary: 'Create a webhook',
    description:
      'Messages follow Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature` headers, a body of `type`, `timestamp` and `data`. Answer with a status from 200 to 299 within 15 seconds. Other answers are tried again for three days; after five days of failures the webhook is switched off, and a notice says so. 410 switches it off immediately.',
    atomic: true,
    feature: 'webhooks',
    body: z
      .strictObject({
        url: schemas.fields.url,
        description: schemas.fields.description.default(''),
        events: schemas.fields.events.default([]),
        enabled: schemas.fields.enabled.default(true),
      })
      .meta({ id: 'WebhookRequest' }),
    replies: {
      201: { description: 'The webhook with its secret', schema: schemas.created },
      422: { description: 'Every problem', schema: errorSchema },
    },
    asks: ({ body }) => requireReachable(reach, 'url', body.url),
    handler: async ({ caller, body }) =>
      created(201, await createWebhook(caller.scope, secrets, body)),
  })

const created = (status: number, { webhook, secret }: CreatedWebhook): Reply => {
  const record = webhookRecord(webhook)
  return { status, body: { ...record, secret }, kept: { ...record, secret: null } }
}

const read = ({ schemas }: Parts) =>
  endpoint('GET /api/webhooks/{id}', {
    summary: 'Read a webhook',
    replies: { 200: { description: 'Without its secret', schema: schemas.webhook } },
    handler: async ({ caller, params }) => ({
      body: webhookRecord(await readWebhook(caller.scope, idOf(params))),
    }),
  })

const change = ({ secrets, reach, schemas }: Parts) =>
  endpoint('PATCH /api/webhooks/{id}', {
    logs: { kind: 'webhook' },
    summary: 'Change a webhook, or switch it on or off',
    description: 'Switching it on clears its failures. Events in between are not sent.',
    feature: 'webhooks',
    switchesOff: (body) => Object.keys(body).length === 1 && body.enabled === false,
    body: z.strictObject(schemas.fields).partial().meta({ id: 'WebhookChange' }),
    replies: {
      200: { description: 'The webhook', schema: schemas.webhook },
      422: { description: 'Every problem', schema: errorSchema },
    },
    asks: ({ body }) => requireReachable(reach, 'url', body.url),
    handler: async ({ caller, params, body }) => ({
      body: webhookRecord(await changeWebhook(caller.scope, secrets, idOf(params), body)),
    }),
  })

const remove = () =>
  endpoint('DELETE /api/webhooks/{id}', {
    logs: { kind: 'webhook' },
    summary: 'Delete a webhook',
    description: 'Waiting messages are not sent, and its list of messages is deleted.',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      await deleteWebhook(caller.scope, idOf(params))
      return { status: 204, body: null }
    },
  })

const rotate = ({ secrets, schemas }: Parts) =>
  endpoint('POST /api/webhooks/{id}/rotate', {
    logs: { kind: 'webhook', renews: 'secret' },
    summary: 'Replace a webhook’s secret',
    description:
      'For `keep_hours`, messages have two signatures, with the new and with the previous secret, so that the receiver can switch.',
    atomic: true,
    body: z
      .strictObject({
        keep_hours: z
          .number()
          .int()
          .min(0)
          .max(MAX_HOURS, sayFixed('At most {count} hours', { count: MAX_HOURS }))
          .default(24)
          .describe('0: the previous secret stops immediately'),
      })
      .meta({ id: 'WebhookRotation' }),
    replies: {
      200: { description: 'The webhook with its new secret', schema: schemas.created },
    },
    handler: async ({ caller, params, body }) =>
      created(200, await rotateSecret(caller.scope, secrets, idOf(params), body.keep_hours)),
  })

const test = ({ baseUrl, clock }: Parts) =>
  endpoint('POST /api/webhooks/{id}/test', {
    summary: 'Send a test message',
    description: 'Of the type `webhook.test`, also to a webhook that is switched off.',
    atomic: true,
    replies: { 202: { description: 'It waits to be sent', schema: messageSchema } },
    handler: async ({ caller, params }) => {
      const id = await sendTest(caller.scope, idOf(params), clock())
      const message = await readMessage(caller.scope, id, baseUrl)
      return { status: 202, body: messageRecord(present(message, 'The test message')) }
    },
  })

const deliveries = ({ baseUrl }: Parts) =>
  endpoint('GET /api/webhooks/{id}/deliveries', {
    summary: 'List the messages of a webhook, newest first',
    description: 'Kept as long as other messages: see the operator’s guide.',
    query: z.strictObject({ ...page, status: z.enum(MESSAGE_STATUSES).optional() }),
    replies: { 200: { description: 'A page of messages', schema: listOf(messageSchema) } },
    handler: async ({ caller, params, query }) => {
      const { id } = await readWebhook(caller.scope, idOf(params))
      const before = fromCursor(query.cursor, [uuid])?.[0]
      const rows = await listMessages(
        caller.scope,
        {
          kind: 'webhook',
          webhook: id,
          limit: query.limit + 1,
          ...(query.status ? { status: query.status } : {}),
          ...(before ? { before } : {}),
        },
        baseUrl,
      )
      return { body: listPage(rows, query.limit, (last) => [last.id], messageRecord) }
    },
  })

const replay = ({ baseUrl }: Parts) =>
  endpoint('POST /api/webhooks/{id}/deliveries/{message}/replay', {
    summary: 'Send a message to a webhook again',
    description: 'Its id and its body stay the same; the timestamp and the signatures are new.',
    replies: {
      202: { description: 'It waits to be sent', schema: messageSchema },
      409: {
        description: 'It is being sent now, or the webhook is switched off',
        schema: errorSchema,
      },
    },
    handler: async ({ caller, params }) => {
      const { scope } = caller
      const { id, enabled } = await readWebhook(scope, idOf(params))
      const message = requirePublicId('message', params.message)
      const [row] = await listMessages(
        scope,
        { kind: 'webhook', webhook: id, id: message, limit: 1 },
        baseUrl,
      )
      if (!row) throw new AppError('not_found')
      if (!enabled)
        throw new AppError('conflict', {
          message: say('This webhook is switched off: switch it on first'),
        })
      if (!(await resendMessage(scope, message)))
        throw new AppError('conflict', {
          message: say('This message is being sent at this moment'),
        })
      const sent = present(await readMessage(scope, message, baseUrl), 'The message')
      return { status: 202, body: messageRecord(sent) }
    },
  })

const idOf = ({ id }: { id: string }): string => requirePublicId('webhook', id)
