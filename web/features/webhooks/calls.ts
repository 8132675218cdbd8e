// Webhooks: types and calls.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForAll, type Query } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { isRefusal, SLOW_MS } from '../../shell/client/queries.ts'
import { type Message, type Page, type Schemas } from '../../shell/client/types.ts'

export type Webhook = Schemas['Webhook']
export type WebhookEvent = Webhook['events'][number]
export interface CreatedWebhook extends Webhook {
  secret: string
}

export interface WebhookFields {
  url: string
  description: string
  events: string[]
}

const KEY = ['webhooks']

export const useWebhooks = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => callForAll<Webhook>('/api/webhooks', signal),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

export const useWebhook = (id: string) =>
  useQuery({
    queryKey: [...KEY, id],
    queryFn: ({ signal }) => call<Webhook>(`/api/webhooks/${id}`, { signal }),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

export const useDeliveries = (id: string, query: Query) =>
  useQuery({
    queryKey: [...KEY, id, 'deliveries', query],
    queryFn: ({ signal }) =>
      call<Page<Message>>(`/api/webhooks/${id}/deliveries`, { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

const useChange = <Input, Output>(send: (input: Input) => Promise<Output>) =>
  useChangeOf([KEY], send)

/** Only this answer contains the secret. */
export const useCreateWebhook = () =>
  useChange((body: WebhookFields) =>
    call<CreatedWebhook>('/api/webhooks', { method: 'POST', body }),
  )

export const useChangeWebhook = (id: string, known: KnownTag = { current: undefined }) =>
  useChange((body: Partial<WebhookFields> & { enabled?: boolean }) =>
    edit<Webhook>(`/api/webhooks/${id}`, 'PATCH', body, known),
  )

export const useDeleteWebhook = () =>
  useChange((id: string) => call<void>(`/api/webhooks/${id}`, { method: 'DELETE' }))

/** Only this answer contains the new secret. */
export const useRotateSecret = (id: string) =>
  useChange((keep_hours: number) =>
    call<CreatedWebhook>(`/api/webhooks/${id}/rotate`, { method: 'POST', body: { keep_hours } }),
  )

export const useTestWebhook = (id: string) =>
  useChange((_: void) => call<Message>(`/api/webhooks/${id}/test`, { method: 'POST' }))

export const useReplay = (id: string) =>
  useChange((message: string) =>
    call<Message>(`/api/webhooks/${id}/deliveries/${message}/replay`, { method: 'POST' }),
  )
