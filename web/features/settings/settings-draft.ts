// The settings while they are edited: a number may be half typed.
import { isCountOrNone } from '../../shell/components/counts.ts'
import type { NumberValue } from '../../shell/components/number-field.tsx'
import { type MatchMethod, type ShopSettings } from '../../shell/client/types.ts'
import { type Objection } from '../../shell/client/workflows.ts'
import { changedFields } from '../../shell/labels/changes.ts'
import { t } from '../../shell/messages/t.ts'

export type SettingsDraft = Omit<
  ShopSettings,
  'expiry_days' | 'download_limit' | 'match_threshold'
> & {
  expiry_days: NumberValue
  download_limit: NumberValue
  /** Per cent. */
  match_threshold: NumberValue
}

export const draftOf = (saved: ShopSettings): SettingsDraft => ({
  ...saved,
  match_threshold: Math.round(saved.match_threshold * 100),
})

/** What differs from what is saved. */
export function changeOf(saved: ShopSettings, draft: SettingsDraft): Partial<SettingsDraft> {
  const changed = changedFields(draftOf(saved), draft)
  const { match_threshold: share } = changed
  return { ...changed, ...(share === undefined ? {} : { match_threshold: shareOf(share) }) }
}

/** Per cent as the API has it, from 0 to 1. */
const shareOf = (value: NumberValue): NumberValue =>
  typeof value === 'number' ? value / 100 : value

const METHODS: readonly MatchMethod[] = ['sku', 'filename', 'title', 'tags']

/**
 * All ways to match in the order in which they are tried: those in use as they were set, the others
 * behind them.
 */
export const methodOrder = (used: readonly MatchMethod[]): MatchMethod[] => [
  ...new Set([...used, ...METHODS]),
]

/**
 * Those that were ticked, in that order. An import that names a SKU is looked up in any case: it is
 * no way of guessing.
 */
export const methodsOf = (
  ticked: readonly string[],
  order: readonly MatchMethod[],
): MatchMethod[] =>
  ticked.length === 0 ? [] : order.filter((method) => method === 'sku' || ticked.includes(method))

const LARGEST = { expiry_days: 36_500, download_limit: 1_000_000_000 } as const

/**
 * What is wrong with the numbers, in words that the server does not have for what is no number at
 * all.
 */
export function numberProblems(draft: SettingsDraft): Objection[] {
  const counts = (Object.keys(LARGEST) as (keyof typeof LARGEST)[])
    .filter((param) => !isCountOrNone(draft[param], LARGEST[param]))
    .map((param) => ({
      param,
      message: t('Enter a whole number from 1 to {largest, number}', { largest: LARGEST[param] }),
    }))
  const { match_threshold: share } = draft
  const isShare = typeof share === 'number' && share >= 0 && share <= 100
  return isShare
    ? counts
    : [...counts, { param: 'match_threshold', message: t('Enter a number from 0 to 100') }]
}

/** A choice of the watermark that was made and not filled in. */
export function watermarkProblems({ watermark }: Pick<SettingsDraft, 'watermark'>): Objection[] {
  if (watermark?.text?.trim() === '')
    return [{ param: 'watermark.text', message: t('Enter the text of the watermark') }]
  if (watermark?.picture === '')
    return [{ param: 'watermark.picture', message: t('Choose an image') }]
  return []
}
