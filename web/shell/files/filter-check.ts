// Checks criteria while they are typed: an invalid number is kept as typed, so that it is not
// overlooked.
import { type FileFilter } from '../client/types.ts'
import { type Objection } from '../client/workflows.ts'
import { t } from '../messages/t.ts'

const SIZES = ['larger_than', 'smaller_than'] as const
const DAYS = ['older_than_days', 'not_downloaded_for_days'] as const

/** `path`: where the criteria are in the body: `filter`, `steps[2].when`. */
export function checkFilter(filter: FileFilter, path: string): Objection[] {
  const broken = (names: readonly (keyof FileFilter)[], least: number, message: string) =>
    names
      .filter((name) => filter[name] !== undefined && !isWhole(filter[name], least))
      .map((name) => ({ param: `${path}.${name}`, message }))
  return [
    ...broken(DAYS, 1, t('Enter a whole number from 1 up')),
    ...broken(SIZES, 0, t('Enter a size in MB')),
    ...broken(['version_above'], 0, t('Enter a whole number from 0 up')),
    ...(filter.any ?? []).flatMap((part, at) =>
      Object.keys(part).length === 0
        ? [{ param: `${path}.any[${at}]`, message: t('Choose at least one condition') }]
        : checkFilter(part, `${path}.any[${at}]`),
    ),
  ]
}

const isWhole = (value: unknown, least: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least
