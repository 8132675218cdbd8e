// Deliveries: what orders entitle their buyers to, and what the merchant does about it.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type Query } from './client.ts'
import { CALM_MS, refused, SLOW_MS } from './queries.ts'
import { type LinkStatus, type Message, type Page } from './types.ts'

export type DeliveryStatus = 'ready' | 'held' | 'withdrawn' | 'revoked'

export interface Delivery {
  id: string
  order_id: string
  order_name: string
  confirmation_number: string | null
  email: string | null
  locale: string | null
  status: DeliveryStatus
  /** Why it is not ready. */
  reason: string | null
  hold: {
    by: 'risk' | 'merchant'
    recommendation: string | null
    since: string | null
  } | null
  /** The buyer's page. */
  url: string | null
  files: number
  downloads: number
  size_bytes: number
  opened_at: string | null
  last_download_at: string | null
  /** The last mail. */
  sent: { message_id: string; status: Message['status']; at: string } | null
  /** The buyer asked for more and was not answered since. */
  asked: { at: string; email: string | null; message: string | null } | null
  created_at: string
  updated_at: string
}

export interface DeliveredFile {
  file_id: string
  filename: string
  size_bytes: number
  status: LinkStatus
  expires_at: string | null
  download_limit: number | null
  downloads: number
  last_download_at: string | null
  /** From a workflow of the merchant's. */
  licence_key?: string | null
}

export interface DeliveryDetail extends Delivery {
  file_list: DeliveredFile[]
  lines: {
    line_id: string
    title: string
    sku: string | null
    quantity: number
    entitled: boolean
    files: number
  }[]
  messages: {
    id: string
    to: string[]
    subject: string
    status: Message['status']
    error: string | null
    created_at: string
    sent_at: string | null
  }[]
  download_list: {
    at: string
    file_id: string
    filename: string
    address: string
    agent: string
  }[]
}

export interface DeliveryChange {
  email?: string
  /** From now on; null: never. */
  expiry_days?: number | null
  /** The whole limit; null: unlimited. */
  download_limit?: number | null
  /** Added to the limit of files that have one. */
  more_downloads?: number
  /** For these files alone; absent: all. */
  file_ids?: string[]
  replace?: { file_id: string; with: string }[]
}

/** When and how orders are delivered; part of the shop's settings. */
export interface DeliverySettings {
  deliver_on: 'paid' | 'authorized'
  hold_risky_orders: boolean
  paid_deliveries_survive: boolean
  /** `platform`: the mail about shipping carries the link. */
  delivery_mail: 'own' | 'platform'
  fulfil_orders: boolean
  /** null: none. */
  order_tag: string | null
  /** null: none. */
  delivery_workflow: string | null
}

/** What the storefront lets this app do. */
export interface StorefrontAccess {
  scopes: string[]
  missing: { scope: string; disables: string }[]
}

export const useStorefrontAccess = () =>
  useQuery({
    queryKey: ['storefront'],
    queryFn: ({ signal }) => call<StorefrontAccess>('/api/storefront', { signal }),
    staleTime: SLOW_MS,
  })

const KEY = ['deliveries']

export const useDeliveries = (query: Query) =>
  useQuery({
    queryKey: [...KEY, 'list', query],
    queryFn: ({ signal }) => call<Page<Delivery>>('/api/deliveries', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (refused(state.error) ? false : CALM_MS),
  })

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: [...KEY, id],
    queryFn: ({ signal }) => call<DeliveryDetail>(`/api/deliveries/${id}`, { signal }),
    refetchInterval: ({ state }) => (refused(state.error) ? false : CALM_MS),
  })

function useDeliveryWork<Input>(send: (input: Input) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation<unknown, Error, Input>({
    mutationFn: send,
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
}

export type DeliveryAction = 'resend' | 'revoke' | 'hold' | 'release'

const act = (id: string, action: DeliveryAction) =>
  call<Delivery>(`/api/deliveries/${id}/${action}`, { method: 'POST' })
const change = (id: string, body: DeliveryChange) =>
  call<DeliveryDetail>(`/api/deliveries/${id}`, { method: 'PATCH', body })

export const useDeliveryAction = (id: string) =>
  useDeliveryWork<DeliveryAction>((action) => act(id, action))

/** `resend`: the buyer gets the mail again afterwards. */
export const useChangeDelivery = (id: string) =>
  useDeliveryWork<{ changes: readonly DeliveryChange[]; resend: boolean }>(
    async ({ changes, resend }) => {
      for (const one of changes) await change(id, one)
      if (resend) await act(id, 'resend')
    },
  )
