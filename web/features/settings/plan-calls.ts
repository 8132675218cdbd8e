// The shop's plan: types and calls.
import { useMutation } from '@tanstack/react-query'
import { call } from '../../shell/client/client.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type PlanState = Schemas['PlanState']
export type Plan = Schemas['Plan']

/**
 * The server reads the plan from the platform first, since a merchant may return from the
 * platform's page of plans.
 */
export const usePlan = () => useRead('GET /api/plan', { query: { refresh: '1' } })

export const useChoosePlan = () =>
  useMutation({
    mutationFn: (plan: string) => call('POST /api/plan', { body: { plan } }),
    // The merchant confirms the charge on the platform's page, outside the app's frame.
    onSuccess: ({ confirmation_url }) => void window.open(confirmation_url, '_top'),
  })
