// Answers to customers' requests for their data: types and calls.
import { useMutation } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForBytes } from '../../shell/client/client.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { SLOW_MS } from '../../shell/client/polling.ts'
import { useRead } from '../../shell/client/reads.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type CustomerAnswer = Schemas['CustomerDataAnswer']

export const useCustomerData = (query: Query) =>
  useRead('GET /api/customer-data', { query, keep: true, poll: SLOW_MS })

/** Saves the document on the merchant's computer. */
export const useSaveAnswer = () =>
  useMutation({
    mutationFn: async ({ id, created_at }: CustomerAnswer) =>
      saveBytes(
        await callForBytes(`/api/customer-data/${id}`),
        `customer-data-${created_at.slice(0, 10)}.json`,
      ),
  })

export const useDeleteAnswer = () =>
  useChangeOf([['customer-data']], (id: string) =>
    call('DELETE /api/customer-data/{id}', { path: { id } }),
  )
