// Webhooks: types and calls.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { SLOW_MS } from '../../shell/client/polling.ts'
import { useRead, useReadAll } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { shownText } from '../../shell/messages/server-text.ts'

export type Webhook = Schemas['Webhook']
export type CreatedWebhook = Schemas['CreatedWebhook']
export type WebhookEvent = Webhook['events'][number]

export type WebhookFields = Required<
  Pick<Schemas['WebhookRequest'], 'url' | 'description' | 'events'>
>

const KEYS = [['webhooks']]

export const useWebhooks = () => useReadAll('GET /api/webhooks', { poll: SLOW_MS })

/** The events that webhooks can receive, with their titles in the page's language. */
export const useWebhookEvents = () =>
  useRead('GET /api/webhook-events', {
    select: ({ data }) =>
      data.map(({ name, title_text }) => ({ name, title: shownText(title_text) })),
  })

export const useWebhook = (id: string) =>
  useRead('GET /api/webhooks/{id}', { path: { id }, poll: SLOW_MS })

export const useDeliveries = (id: string, query: Query) =>
  useRead('GET /api/webhooks/{id}/deliveries', {
    path: { id },
    query,
    keep: true,
    poll: SLOW_MS,
  })

/** Creates a webhook. The secret is only in this answer. */
export const useCreateWebhook = () =>
  useChangeOf(KEYS, (body: WebhookFields) => call('POST /api/webhooks', { body }))

export const useChangeWebhook = (id: string, known: KnownTag = { current: undefined }) =>
  useChangeOf(KEYS, (body: Schemas['WebhookChange']) =>
    edit('PATCH /api/webhooks/{id}', { path: { id }, body }, known),
  )

export const useDeleteWebhook = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/webhooks/{id}', { path: { id } }))

/** Replaces the secret. The new one is only in this answer. */
export const useRotateSecret = (id: string) =>
  useChangeOf(KEYS, (keep_hours: number) =>
    call('POST /api/webhooks/{id}/rotate', { path: { id }, body: { keep_hours } }),
  )

export const useTestWebhook = (id: string) =>
  useChangeOf(KEYS, (_: void) => call('POST /api/webhooks/{id}/test', { path: { id } }))

export const useReplay = (id: string) =>
  useChangeOf(KEYS, (message: string) =>
    call('POST /api/webhooks/{id}/deliveries/{message}/replay', { path: { id, message } }),
  )
