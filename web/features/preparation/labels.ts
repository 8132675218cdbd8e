// Texts about lists of licence keys: how many keys are left, and the problems of an uploaded file.
import { type LicenceList } from './calls.ts'
import { type ErrorDetail } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

/** At this number the merchant is warned: orders are held when no key is left. */
export const FEW_KEYS = 10

interface LicenceState {
  text: string
  tone: 'success' | 'warning' | 'critical'
}

export function licenceState({ left }: Pick<LicenceList, 'left'>): LicenceState {
  if (left === 0) return { text: t('No keys left'), tone: 'critical' }
  if (left <= FEW_KEYS) return { text: t('Few keys left'), tone: 'warning' }
  return { text: t('Ready'), tone: 'success' }
}

export const licenceCounts = ({ left, given }: Pick<LicenceList, 'left' | 'given'>): string =>
  [
    t('{left, plural, one {# key left} other {# keys left}}', { left }),
    t('{given, plural, one {# given} other {# given}}', { given }),
  ].join(' · ')

interface BadLine {
  /** From 1. */
  line: number
  message: string
}

/** The bad lines of a refused file; empty if the file was refused for another reason. */
export const badLines = (details: readonly ErrorDetail[]): BadLine[] =>
  details.flatMap(({ index, message }) =>
    typeof index === 'number' ? [{ line: index + 1, message }] : [],
  )
