// The shop's plan: what the API answers with, and the calls.
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { type Schemas } from './types.ts'

export type PlanState = Schemas['PlanState']
export type Plan = Schemas['Plan']

/** Read from the platform first: a merchant comes here from its page of plans. */
export const usePlan = () =>
  useQuery({
    queryKey: ['plan'],
    queryFn: ({ signal }) => call<PlanState>('/api/plan', { query: { refresh: '1' }, signal }),
  })

export const useChoosePlan = () =>
  useMutation<{ confirmation_url: string }, Error, string>({
    mutationFn: (plan) => call('/api/plan', { method: 'POST', body: { plan } }),
    // The platform asks for the confirmation in its own page, outside the app's frame.
    onSuccess: ({ confirmation_url }) => void window.open(confirmation_url, '_top'),
  })
