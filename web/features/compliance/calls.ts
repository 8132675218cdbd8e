// Answers to customers' requests for their data: types and calls.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callForBytes, type Query } from '../../shell/client/client.ts'
import { isRefusal, SLOW_MS } from '../../shell/client/queries.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type Page, type Schemas } from '../../shell/client/types.ts'

export type CustomerAnswer = Schemas['CustomerDataAnswer']

const KEY = ['customer-data']

export const useCustomerData = (query: Query) =>
  useQuery({
    queryKey: [...KEY, query],
    queryFn: ({ signal }) => call<Page<CustomerAnswer>>('/api/customer-data', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

/** Saves the document on the merchant's computer. */
export const useSaveAnswer = () =>
  useMutation<void, Error, CustomerAnswer>({
    mutationFn: async ({ id, created_at }) =>
      saveBytes(
        await callForBytes(`/api/customer-data/${id}`),
        `customer-data-${created_at.slice(0, 10)}.json`,
      ),
  })

export function useDeleteAnswer() {
  const client = useQueryClient()
  return useMutation<void, Error, string>({
    mutationFn: (id) => call(`/api/customer-data/${id}`, { method: 'DELETE' }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
}
