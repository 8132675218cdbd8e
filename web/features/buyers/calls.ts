// Buyers by their email addresses, and the mail with the link to their library.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { CALM_MS } from '../../shell/client/polling.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type Buyer = Schemas['Buyer']
export type BuyerDetail = Schemas['BuyerDetail']

export const useBuyers = (query: Query) =>
  useRead('GET /api/buyers', { query, keep: true, poll: CALM_MS })

export const useBuyer = (email: string) =>
  useRead('GET /api/buyers/detail', { query: { email }, poll: CALM_MS })

export const useSendLibrary = () =>
  useChangeOf([['buyers']], (email: string) =>
    call('POST /api/buyers/library', { body: { email } }),
  )
