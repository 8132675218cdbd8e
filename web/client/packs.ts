// Packs: named groups of files, as the API answers with them.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { type Page } from './types.ts'

export interface PackProduct {
  product_id: string
  product_title: string
  variant_id: string | null
  sku: string | null
}

export interface Pack {
  id: string
  name: string
  /** How many it has. */
  files: number
  size_bytes: number
  products: PackProduct[]
  created_at: string
  updated_at: string
}

/** Packs whose name has these words; the first ones where none are given. */
export const usePacks = (search: string, enabled = true) =>
  useQuery({
    queryKey: ['packs', 'found', search],
    queryFn: ({ signal }) => call<Page<Pack>>('/api/packs', { query: { search, limit: 25 }, signal }),
    placeholderData: keepPreviousData,
    enabled,
  })
