// The settings while they are edited: a number may be half typed.
import { type NumberValue } from '../../components/number-field.tsx'
import { type ShopSettings } from '../../client/types.ts'

export type SettingsDraft = Omit<ShopSettings, 'expiry_days' | 'download_limit'> & {
  expiry_days: NumberValue
  download_limit: NumberValue
}

/** What differs from what is saved; an emptied number is sent as it is, to be refused with words. */
export function changeOf(saved: ShopSettings, draft: SettingsDraft): Partial<SettingsDraft> {
  const change: Record<string, unknown> = {}
  for (const key of Object.keys(saved) as (keyof ShopSettings)[])
    if (JSON.stringify(draft[key]) !== JSON.stringify(saved[key])) change[key] = draft[key] ?? emptied(draft[key])
  return change
}

const emptied = (value: unknown) => (value === undefined ? '' : null)
