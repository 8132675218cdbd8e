// Texts about lists of licence keys and their keys, and the problems of an uploaded file.
import { type LicenceKey, type LicenceList } from './calls.ts'
import { type ErrorDetail } from '../../shell/client/types.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

/** The number of keys at which the merchant is warned: orders are held when no key is left. */
const FEW_KEYS = 10

interface LicenceState {
  text: string
  tone: 'success' | 'warning' | 'critical'
}

export function licenceState({ left }: Pick<LicenceList, 'left'>): LicenceState {
  if (left === null) return { text: t('Generates keys'), tone: 'success' }
  if (left === 0) return { text: t('No keys left'), tone: 'critical' }
  if (left <= FEW_KEYS) return { text: t('Few keys left'), tone: 'warning' }
  return { text: t('Ready'), tone: 'success' }
}

export const licenceCounts = ({ left, given }: Pick<LicenceList, 'left' | 'given'>): string =>
  [
    ...(left === null ? [] : [t('{left, plural, one {# key left} other {# keys left}}', { left })]),
    t('{given, plural, one {# given} other {# given}}', { given }),
  ].join(' · ')

/** Is the list, which has given keys before, running out? */
export const isRunningOut = ({ left, given }: Pick<LicenceList, 'left' | 'given'>): boolean =>
  left !== null && left <= FEW_KEYS && given > 0

/** The terms of a list, as names and values. */
export function termTexts(list: LicenceList): [name: string, value: string][] {
  const { generate, expiry_days: days, activation_limit: limit, revoke_on_refund } = list
  return [
    [
      t('Keys'),
      generate === null
        ? t('You add them')
        : generate.checksum
          ? t('{pattern}, with a check character', { pattern: generate.prefix + generate.pattern })
          : generate.prefix + generate.pattern,
    ],
    [
      t('Expire'),
      days === null
        ? t('Never')
        : t('{days, plural, one {# day after the sale} other {# days after the sale}}', { days }),
    ],
    [
      t('Activations'),
      limit === null ? t('Unlimited') : t('{limit, number} for each key', { limit }),
    ],
    [
      t('Refunds'),
      revoke_on_refund ? t('Revoke the keys of refunded units') : t('Leave the keys as they are'),
    ],
  ]
}

const KEY_STATUS_TEXTS = {
  active: { text: t('Active'), tone: 'success' },
  expired: { text: t('Expired'), tone: 'warning' },
  revoked: { text: t('Revoked'), tone: 'critical' },
  replaced: { text: t('Replaced'), tone: 'info' },
} as const

export const keyStatus = (status: LicenceKey['status']) => KEY_STATUS_TEXTS[status]

/** Since when, and why. */
export function keyStatusNote({
  revoked_at,
  revoked_by,
}: Pick<LicenceKey, 'revoked_at' | 'revoked_by'>): string | null {
  if (revoked_at === null) return null
  const when = momentText(revoked_at)
  return revoked_by === 'refund' ? t('Refunded {when}', { when }) : when
}

/** `2 of 3` */
export const activationsText = ({
  activations,
  activation_limit: limit,
}: Pick<LicenceKey, 'activations' | 'activation_limit'>): string =>
  limit === null
    ? t('{activations, number}', { activations })
    : t('{activations, number} of {limit, number}', { activations, limit })

/** The key, or what it is of if nobody has seen it. */
export const keyName = ({ key, order_name }: Pick<LicenceKey, 'key' | 'order_name'>): string =>
  key ?? (order_name === null ? t('the key') : t('the key of {order}', { order: order_name }))

interface BadLine {
  /** The number of the line, from 1. */
  line: number
  message: string
}

/** The bad lines of a refused file; empty if the file was refused for another reason. */
export const badLines = (details: readonly ErrorDetail[]): BadLine[] =>
  details.flatMap(({ index, message }) =>
    typeof index === 'number' ? [{ line: index + 1, message }] : [],
  )
