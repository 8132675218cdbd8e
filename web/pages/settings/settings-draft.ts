// The settings while they are edited: a number may be half typed.
import { type NumberValue } from '../../components/number-field.tsx'
import { type ShopSettings } from '../../client/types.ts'
import { type Objection } from '../../client/workflows.ts'
import { numberText } from '../../words/size.ts'

export type SettingsDraft = Omit<ShopSettings, 'expiry_days' | 'download_limit'> & {
  expiry_days: NumberValue
  download_limit: NumberValue
}

/** What differs from what is saved. */
export function changeOf(saved: ShopSettings, draft: SettingsDraft): Partial<SettingsDraft> {
  const keys = Object.keys(saved) as (keyof ShopSettings)[]
  return Object.fromEntries(
    keys.filter((key) => JSON.stringify(draft[key]) !== JSON.stringify(saved[key])).map((key) => [key, draft[key]]),
  )
}

const LARGEST = { expiry_days: 36_500, download_limit: 1_000_000_000 } as const

/** What is wrong with the numbers, in words that the server does not have for what is no number at all. */
export function numberProblems(draft: SettingsDraft): Objection[] {
  return (Object.keys(LARGEST) as (keyof typeof LARGEST)[])
    .filter((param) => !isCount(draft[param], LARGEST[param]))
    .map((param) => ({ param, message: `Write a whole number from 1 to ${numberText(LARGEST[param])}` }))
}

const isCount = (value: NumberValue, largest: number): boolean =>
  value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= largest)
