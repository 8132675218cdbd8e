// Deliveries: what orders entitle their buyers to, and the merchant's changes.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, type Query } from '../../shell/client/client.ts'
import { CALM_MS, isRefusal, SLOW_MS } from '../../shell/client/queries.ts'
import { type Page, type Schemas } from '../../shell/client/types.ts'

export type Delivery = Schemas['Delivery']
export type DeliveryStatus = Delivery['status']
export type DeliveryChange = Schemas['DeliveryChange']
export type StorefrontAccess = Schemas['StorefrontAccess']

export type DeliveredFile = Schemas['DeliveryDetail']['file_list'][number] & {
  /** Assigned by a workflow of the merchant. */
  licence_key?: string | null
}

export type DeliveryDetail = Omit<Schemas['DeliveryDetail'], 'file_list'> & {
  file_list: DeliveredFile[]
}

/** When and how orders are delivered; part of the shop's settings. */
export type DeliverySettings = Pick<
  Schemas['Settings'],
  | 'deliver_on'
  | 'hold_risky_orders'
  | 'multiply_limits'
  | 'paid_deliveries_survive'
  | 'delivery_mail'
  | 'fulfil_orders'
  | 'order_tag'
  | 'new_files'
  | 'new_files_mail'
> & {
  /** Null: none. */
  delivery_workflow?: string | null
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
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: [...KEY, id],
    queryFn: ({ signal }) => call<DeliveryDetail>(`/api/deliveries/${id}`, { signal }),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

export type NewFiles = Schemas['NewFiles']

/** New files of products that were sold before, which their past buyers do not have. */
export const useNewFiles = () =>
  useQuery({
    queryKey: [...KEY, 'new-files'],
    queryFn: ({ signal }) => call<{ data: NewFiles[] }>('/api/new-files', { signal }),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

export type PastOrdersAccess = Schemas['PastOrdersAccess']

export const usePastOrders = () =>
  useQuery({
    queryKey: [...KEY, 'import'],
    queryFn: ({ signal }) => call<PastOrdersAccess>('/api/orders/import', { signal }),
  })

const useDeliveryWork = <Input>(send: (input: Input) => Promise<unknown>) =>
  useChangeOf([KEY], send)

export const useImportOrders = () =>
  useDeliveryWork<Schemas['PastOrdersRequest']>((body) =>
    call('/api/orders/import', { method: 'POST', body }),
  )

/** The product's new files are not given to its past buyers. */
export const useDismissNewFiles = () =>
  useDeliveryWork<string>((product_id) =>
    call('/api/new-files/dismiss', { method: 'POST', body: { product_id } }),
  )

export type DeliveryAction = 'resend' | 'revoke' | 'hold' | 'release'

const act = (id: string, action: DeliveryAction) =>
  call<Delivery>(`/api/deliveries/${id}/${action}`, { method: 'POST' })
const change = (id: string, body: DeliveryChange) =>
  call<DeliveryDetail>(`/api/deliveries/${id}`, { method: 'PATCH', body })

export const useDeliveryAction = (id: string) =>
  useDeliveryWork<DeliveryAction>((action) => act(id, action))

/** `resend`: sends the buyer the mail again afterwards. */
export const useChangeDelivery = (id: string) =>
  useDeliveryWork<{ changes: readonly DeliveryChange[]; resend: boolean }>(
    async ({ changes, resend }) => {
      for (const one of changes) await change(id, one)
      if (resend) await act(id, 'resend')
    },
  )
