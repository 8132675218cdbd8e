// The shop's plan: types and calls.
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from '../../shell/client/client.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type PlanState = Schemas['PlanState']
export type Plan = Schemas['Plan']

/**
 * The server reads the plan from the platform first, since a merchant may return from the
 * platform's page of plans.
 */
export const usePlan = () =>
  useQuery({
    queryKey: ['plan'],
    queryFn: ({ signal }) => call<PlanState>('/api/plan', { query: { refresh: '1' }, signal }),
  })

export const useChoosePlan = () =>
  useMutation<{ confirmation_url: string }, Error, string>({
    mutationFn: (plan) => call('/api/plan', { method: 'POST', body: { plan } }),
    // The merchant confirms the charge on the platform's page, outside the app's frame.
    onSuccess: ({ confirmation_url }) => void window.open(confirmation_url, '_top'),
  })
