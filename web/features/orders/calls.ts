// Deliveries: what orders entitle their buyers to, and the merchant's changes.
import { useState } from 'react'
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { ApiError } from '../../shell/client/error.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { CALM_MS, SLOW_MS } from '../../shell/client/polling.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { importPrivately } from '../upload/private-files.ts'

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
  | 'release_mail'
  | 'text_buyers'
  | 'mail_delay_minutes'
> & {
  /** The id of the workflow of deliveries; null: none. */
  delivery_workflow?: string | null
}

export const useStorefrontAccess = () => useRead('GET /api/storefront', { staleTime: SLOW_MS })

/** Deliveries, the import of past orders, files that are imported for an order, and the new files of sold products. */
const KEYS = [['deliveries'], ['orders'], ['files'], ['new-files'], ['unfiled-products'], ['home']]

export const useDeliveries = (query: Query) =>
  useRead('GET /api/deliveries', { query, keep: true, poll: CALM_MS })

export const useDelivery = (id: string) =>
  useRead('GET /api/deliveries/{id}', { path: { id }, poll: CALM_MS })

export type NewFiles = Schemas['NewFiles']

/** New files of products that were sold before, which their past buyers do not have. */
export const useNewFiles = () => useRead('GET /api/new-files', { poll: CALM_MS })

export type PastOrdersAccess = Schemas['PastOrdersAccess']

export const usePastOrders = () => useRead('GET /api/orders/import')

const useDeliveryWork = <Input, Output = unknown>(send: (input: Input) => Promise<Output>) =>
  useChangeOf(KEYS, send)

export const useImportOrders = () =>
  useDeliveryWork<Schemas['PastOrdersRequest']>((body) => call('POST /api/orders/import', { body }))

/** The product's new files are not given to its past buyers. */
export const useDismissNewFiles = () =>
  useDeliveryWork<string>((product_id) =>
    call('POST /api/new-files/dismiss', { body: { product_id } }),
  )

/** Products with a choice of their own about new files. */
export const useProductChoices = () => useRead('GET /api/new-files/products')

export const useChooseForProduct = () =>
  useDeliveryWork<Schemas['ProductNewFilesChoice']>((body) =>
    call('PUT /api/new-files/products', { body }),
  )

export type UnfiledProduct = Schemas['UnfiledProduct']

/** Products that sell as downloads and have no file. */
export const useUnfiled = () => useRead('GET /api/unfiled-products', { poll: CALM_MS })

export interface UnfiledDismissal extends Pick<UnfiledProduct, 'product_id' | 'title'> {
  /** False: it is listed again. */
  dismissed: boolean
}

export const useDismissUnfiled = () =>
  useDeliveryWork<UnfiledDismissal>(({ product_id, dismissed }) =>
    call('POST /api/unfiled-products/dismiss', { body: { product_id, dismissed } }),
  )

export type DeliveryAction = 'resend' | 'revoke' | 'hold' | 'release'

const act = (id: string, action: DeliveryAction) =>
  call(`POST /api/deliveries/{id}/${action}`, { path: { id } })
const change = (id: string, body: DeliveryChange) =>
  call('PATCH /api/deliveries/{id}', { path: { id }, body })

export const useDeliveryAction = (id: string) =>
  useDeliveryWork<DeliveryAction>((action) => act(id, action))

/** Where a buyer is written to: one of both. */
export type Contact = { email: string } | { phone: string }

/** Corrects the address or the number, or allows the same one again, and sends the message. */
export const useCorrectAddress = (id: string) =>
  useDeliveryWork<Contact>((body) =>
    call('POST /api/deliveries/{id}/correct-address', { path: { id }, body }),
  )

export type FoundOrder = Schemas['FoundOrder']

/** Finds an order by its name, number or confirmation number, on the platform too. */
export const useFindOrder = () =>
  useDeliveryWork(
    async (order: string) => (await call('GET /api/orders', { query: { order } })).data,
  )

export interface Additions {
  /** Ids of files of the shop. */
  ids: readonly string[]
  /** Files of this computer, which are imported for this order alone. */
  fresh: readonly File[]
  terms: Pick<Schemas['OrderFiles'], 'expiry_days' | 'download_limit'>
  tell: boolean
  signal: AbortSignal
  onProgress: (sent: number) => void
}

export interface AddedToOrder {
  delivery: string
  /** Ids of the files that were added. */
  files: readonly string[]
}

/** Adds files to one order: those of this computer are sent first, each once. */
export function useAddToOrder(order: string) {
  // Files that were sent, by which they are not sent again after another failure.
  const [sent] = useState(() => new Map<File, string>())
  return useDeliveryWork<Additions, AddedToOrder>(
    async ({ ids, fresh, terms, tell, ...progress }) => {
      const unsent = fresh.filter((file) => !sent.has(file))
      const imported = await importPrivately(unsent, progress)
      unsent.forEach((file, at) => sent.set(file, imported[at] ?? ''))
      const files = [...ids, ...fresh.flatMap((file) => sent.get(file) ?? [])]
      const { id } = await call('POST /api/orders/files', {
        body: { order, file_ids: files, email: tell, ...terms },
      })
      return { delivery: id, files }
    },
  )
}

/** Takes files back that were added to the order. */
export const useTakeBack = (id: string) =>
  useDeliveryWork(async (files: readonly string[]) => {
    for (const file_id of files)
      await call('DELETE /api/deliveries/{id}/files/{file_id}', { path: { id, file_id } })
  })

interface UnblockChange {
  terms: NonNullable<DeliveryChange['terms']>
  /** Files that could not be prepared are prepared again. */
  prepare: boolean
  resend: boolean
}

/** Sends the message again after saved changes; why it could not be sent, or null. */
const resent = (id: string): Promise<ApiError | null> =>
  act(id, 'resend').then(
    () => null,
    (error: unknown) => {
      if (error instanceof ApiError) return error
      throw error
    },
  )

/** Sets the terms of single files, also those of an undo. Gives why the message could not be sent. */
export const useUnblock = (id: string) =>
  useDeliveryWork(async ({ terms, prepare, resend }: UnblockChange) => {
    if (terms.length > 0) await change(id, { terms })
    if (prepare) await act(id, 'release')
    return resend ? resent(id) : null
  })

/**
 * `resend`: sends the buyer the mail again afterwards. Gives why that failed after a saved change;
 * without a change, it fails.
 */
export const useChangeDelivery = (id: string) =>
  useDeliveryWork(
    async ({ changes, resend }: { changes: readonly DeliveryChange[]; resend: boolean }) => {
      for (const one of changes) await change(id, one)
      if (!resend) return null
      if (changes.length > 0) return resent(id)
      await act(id, 'resend')
      return null
    },
  )
