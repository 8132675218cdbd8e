// Reviews: files that several products fit, and the products to choose from.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, type Query } from '../../shell/client/client.ts'
import { findByWidget, pluginsQuery } from '../../shell/client/plugins.ts'
import { CALM_MS, LIVE_MS, isRefusal, SLOW_MS } from '../../shell/client/queries.ts'
import { type Operation, type Page, type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

export type Review = Schemas['Review']
/** Best first. */
export type Candidate = Review['candidates'][number]

interface ReviewList extends Page<Review> {
  /** The number of open reviews on all pages. */
  open: number
}

export type Product = Schemas['Product']
export type Variant = Product['variants'][number]

const KEY = ['reviews']

export const useReviews = (query: Query) =>
  useQuery({
    queryKey: [...KEY, 'list', query],
    queryFn: ({ signal }) => call<ReviewList>('/api/reviews', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

/** How many reviews have one best candidate above this score. null: no score yet. */
export const useCountAbove = (above: number | null) =>
  useQuery({
    queryKey: [...KEY, 'above', above],
    queryFn: ({ signal }) =>
      call<{ count: number }>('/api/reviews/accept', { query: { above }, signal }),
    enabled: above !== null,
  })

/** Does one product score higher than every other? */
export function isClear({ candidates }: Pick<Review, 'candidates'>): boolean {
  const [best] = candidates
  return (
    best !== undefined &&
    candidates.every(
      ({ product_id, score }) => product_id === best.product_id || score < best.score,
    )
  )
}

const useAnswer = <Input, Output>(send: (input: Input) => Promise<Output>) =>
  useChangeOf([KEY, ['files']], send)

export interface Choice {
  product_id: string
  variant_id: string | null
}

/** Accepts one of the candidates. */
export const useAccept = () =>
  useAnswer<{ review: Review; choice: Choice }, unknown>(
    ({ review, choice: { product_id, variant_id } }) =>
      call(`/api/reviews/${review.id}/accept`, {
        method: 'POST',
        body: { product_id, variant_id },
      }),
  )

/** Maps to any product: a file with a product has no open review. */
export function useMapTo() {
  const client = useQueryClient()
  return useAnswer<{ fileIds: readonly string[]; choice: Choice }, Operation>(
    async ({ fileIds, choice }) => {
      const { data } = await client.fetchQuery(pluginsQuery)
      const found = findByWidget(data, 'product')
      if (!found) throw new Error(t('This installation has no plugin that maps files to a product'))
      const { product_id, variant_id } = choice
      const options = { [found.option]: product_id, ...(variant_id === null ? {} : { variant_id }) }
      const body = { action: found.plugin.id, select: { file_ids: fileIds }, options }
      return call('/api/operations', { method: 'POST', body })
    },
  )
}

export const useReject = () =>
  useAnswer<string, unknown>((id) => call(`/api/reviews/${id}/reject`, { method: 'POST' }))

interface Accepted {
  accepted: number
}

/** Accepts all of them, in several calls if necessary; returns their number. */
export const useAcceptAbove = () =>
  useAnswer<{ above: number; count: number }, number>(async ({ above, count }) => {
    let done = 0
    while (done < count) {
      const { accepted } = await call<Accepted>('/api/reviews/accept', {
        method: 'POST',
        body: { above },
      })
      if (accepted === 0) break
      done += accepted
    }
    return done
  })

/**
 * Products whose title or SKU contains these words; without words, the first ones. `refreshed`:
 * when the mirror was refreshed.
 */
export const useProducts = (search: string, refreshed: string | null) =>
  useQuery({
    queryKey: ['products', search, refreshed],
    queryFn: ({ signal }) =>
      call<Page<Product>>('/api/products', { query: { search, limit: 25 }, signal }),
    placeholderData: keepPreviousData,
  })

/** The mirror of the shop's catalog, from which the page lists products. */
export type Mirror = Pick<
  Schemas['CatalogMirror'],
  'status' | 'products' | 'progress' | 'refreshed_at' | 'error'
>

const MIRROR = ['mirror']

export const useMirror = () =>
  useQuery({
    queryKey: MIRROR,
    queryFn: ({ signal }) => call<Mirror>('/api/products/mirror', { signal }),
    refetchInterval: ({ state }) =>
      isRefusal(state.error) ? false : state.data?.status === 'refreshing' ? LIVE_MS : SLOW_MS,
  })

export function useRefreshProducts() {
  const client = useQueryClient()
  return useMutation<Mirror, Error, void>({
    mutationFn: () => call('/api/products/refresh', { method: 'POST' }),
    onSuccess: (mirror) => client.setQueryData(MIRROR, mirror),
  })
}
