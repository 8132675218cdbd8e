// A webhook in requests and answers.
import { z } from 'zod'
import { sayPlain, UNSAFE_CHARACTERS } from '../../../plugins/contract/index.ts'
import { toPublicId } from '../../core/ids.ts'
import type { WebhookEvent } from '../../core/outbox/webhook-events.ts'
import type { WebhookRow } from './webhooks.ts'
import { fetchUrl, messageText, timestamp } from '../../http/schemas.ts'

/** The schemas of webhooks, which take and show the names of the declared events. */
export function webhookSchemas(declared: readonly WebhookEvent[]) {
  const event = z.enum(declared.map(({ name }) => name))
  const webhook = z
    .object({
      id: z.string(),
      url: z.string().describe('Without its query, which may contain a secret'),
      description: z.string(),
      events: z.array(event).describe('Empty: all'),
      enabled: z.boolean(),
      switched_off: z
        .object({ at: timestamp, reason: z.string(), reason_text: messageText })
        .nullable()
        .describe('It failed for days and was switched off by the server'),
      failing_since: timestamp.nullable().describe('null: the last message arrived'),
      last_success_at: timestamp.nullable(),
      last_error: z.string().nullable(),
      last_error_text: messageText,
      previous_secret_until: timestamp
        .nullable()
        .describe('Until then messages have a second signature, made with the previous secret'),
      created_at: timestamp,
    })
    .meta({ id: 'Webhook' })
  return { fields: fieldsOf(event, declared), webhook, created: createdSchema(webhook) }
}

export type WebhookSchemas = ReturnType<typeof webhookSchemas>

const fieldsOf = (event: z.ZodType<string>, declared: readonly WebhookEvent[]) => ({
  url: fetchUrl.meta({
    description: 'An address of yours on the public internet, port 80 or 443',
    example: 'https://example.com/hooks/stevedore',
  }),
  description: z
    .string()
    .trim()
    .max(200, sayPlain('Enter at most 200 characters'))
    .refine(
      (text) => !UNSAFE_CHARACTERS.test(text),
      sayPlain('It cannot contain control characters'),
    ),
  events: z
    .array(event)
    .max(declared.length)
    .transform((chosen) => [...new Set(chosen)])
    .meta({
      description: `Empty: all, also those that come later. ${declared
        .map(({ name, about }) => `\`${name}\`: ${about}.`)
        .join(' ')}`,
    }),
  enabled: z.boolean(),
})

const createdSchema = <Shape extends z.ZodRawShape>(webhook: z.ZodObject<Shape>) =>
  webhook
    .extend({
      secret: z
        .string()
        .nullable()
        .describe(
          'As in Standard Webhooks, `whsec_…`; only this answer contains it. In the answer to a repeated request with the same `Idempotency-Key` it is null',
        ),
    })
    .meta({ id: 'CreatedWebhook' })

export const webhookRecord = (webhook: WebhookRow): z.output<WebhookSchemas['webhook']> => ({
  id: toPublicId('webhook', webhook.id),
  url: webhook.url,
  description: webhook.description,
  events: webhook.events,
  enabled: webhook.enabled,
  switched_off:
    webhook.switched_off !== null && webhook.switched_off_at
      ? {
          at: webhook.switched_off_at.toISOString(),
          reason: webhook.switched_off,
          reason_text: webhook.switched_off_text ?? undefined,
        }
      : null,
  failing_since: webhook.failing_since?.toISOString() ?? null,
  last_success_at: webhook.last_success_at?.toISOString() ?? null,
  last_error: webhook.last_error,
  last_error_text: webhook.last_error_text ?? undefined,
  previous_secret_until: webhook.previous_until?.toISOString() ?? null,
  created_at: webhook.created_at.toISOString(),
})
