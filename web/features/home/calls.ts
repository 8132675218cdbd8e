// What needs the merchant, and the figures of the last days.
import { SLOW_MS } from '../../shell/client/polling.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type Home = Schemas['Attention']
export type Need = Home['needs'][number]['need']
export type Figures = Schemas['Figures']
export const PERIODS = ['7', '30', '90'] as const
export type Period = (typeof PERIODS)[number]

export const useHome = () => useRead('GET /api/attention', { poll: 4 * SLOW_MS })

export const useFigures = (days: Period) =>
  useRead('GET /api/home/figures', { query: { days }, keep: true, staleTime: 4 * SLOW_MS })
