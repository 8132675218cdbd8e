// The shop's settings, and the mail that was sent on its behalf.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type Query } from './client.ts'
import { edit, type KnownTag } from './edits.ts'
import { isRefusal, SLOW_MS } from './queries.ts'
import { type Message, type Page, type ShopSettings } from './types.ts'

export const useSettings = () =>
  useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call<ShopSettings>('/api/settings', { signal }),
  })

export function useChangeSettings(known: KnownTag) {
  const client = useQueryClient()
  return useMutation<ShopSettings, Error, Partial<ShopSettings>>({
    mutationFn: (change) => edit('/api/settings', 'PATCH', change, known),
    onSuccess: (settings) => client.setQueryData(['settings'], settings),
  })
}

export const useMessages = (query: Query) =>
  useQuery({
    queryKey: ['messages', query],
    queryFn: ({ signal }) => call<Page<Message>>('/api/messages', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

/** To the recipients that the settings have now. */
export function useResendMessage() {
  const client = useQueryClient()
  return useMutation<Message, Error, string>({
    mutationFn: (id) => call(`/api/messages/${id}/send`, { method: 'POST' }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['messages'] }),
  })
}
