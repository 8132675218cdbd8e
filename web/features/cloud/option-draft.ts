// The options of a connection while they are edited: a size may be incomplete.
import { type SyncOptions } from './calls.ts'
import type { SizeValue } from '../../shell/components/size-field.tsx'
import { type Objection } from '../../shell/client/workflows.ts'
import { changedFields } from '../../shell/labels/changes.ts'
import { t } from '../../shell/messages/t.ts'

export interface Draft extends Omit<SyncOptions, 'max_bytes' | 'bytes_per_second'> {
  max_bytes: SizeValue
  bytes_per_second: SizeValue | null
}

export const draftOf = (saved: SyncOptions): Draft => saved

/** The largest size of a file, if the merchant sets none. */
export const LARGEST_FILE = 5 * 1024 ** 3

/** The options that differ from the saved ones. */
export function changedOptions(saved: SyncOptions, draft: Partial<Draft>): Partial<Draft> {
  const written: Partial<Draft> = {
    ...draft,
    ...('max_bytes' in draft ? { max_bytes: draft.max_bytes ?? LARGEST_FILE } : {}),
    ...('bytes_per_second' in draft ? { bytes_per_second: draft.bytes_per_second ?? null } : {}),
  }
  return changedFields<Partial<Draft>>(saved, written)
}

export const optionProblems = ({
  max_bytes,
  bytes_per_second,
}: Pick<Draft, 'max_bytes' | 'bytes_per_second'>): Objection[] =>
  [
    { param: 'max_bytes', value: max_bytes },
    { param: 'bytes_per_second', value: bytes_per_second },
  ]
    .filter(({ value }) => typeof value === 'string' || value === 0)
    .map(({ param }) => ({ param, message: t('Enter a number of megabytes above 0') }))
