// What needs the merchant, and the figures of the last days.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../shell/client/client.ts'
import { SLOW_MS } from '../../shell/client/queries.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type Home = Schemas['Home']
export type Need = Home['needs'][number]['need']
export type Figures = Schemas['Figures']
export const PERIODS = ['7', '30', '90'] as const
export type Period = (typeof PERIODS)[number]

export const useHome = () =>
  useQuery({
    queryKey: ['home'],
    queryFn: ({ signal }) => call<Home>('/api/home', { signal }),
    refetchInterval: 4 * SLOW_MS,
  })

export const useFigures = (days: Period) =>
  useQuery({
    queryKey: ['home', 'figures', days],
    queryFn: ({ signal }) => call<Figures>('/api/home/figures', { query: { days }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 4 * SLOW_MS,
  })
