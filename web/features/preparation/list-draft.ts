// What a person enters about a list of licence keys, before it is saved.
import { keyBits, MIN_KEY_BITS, type KeyPattern } from '../../../plugins/_page/key-pattern.ts'
import { isCountOrNone } from '../../shell/components/counts.ts'
import type { NumberValue } from '../../shell/components/number-field.tsx'
import { type Objection } from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'
import { type LicenceList, type LicenceListChange } from './calls.ts'

const FIRST_PATTERN = 'XXXXX-XXXXX-XXXXX'

export interface ListDraft extends KeyPattern {
  name: string
  keys: 'own' | 'generated'
  expiry_days: NumberValue
  activation_limit: NumberValue
  revoke_on_refund: boolean
}

export const NEW_LIST: ListDraft = {
  name: '',
  keys: 'own',
  pattern: FIRST_PATTERN,
  prefix: '',
  checksum: true,
  expiry_days: null,
  activation_limit: null,
  revoke_on_refund: false,
}

export function draftOf({ name, generate, ...terms }: LicenceList): ListDraft {
  const { expiry_days, activation_limit, revoke_on_refund } = terms
  const keys = generate ? 'generated' : 'own'
  return {
    ...NEW_LIST,
    ...generate,
    name,
    keys,
    expiry_days,
    activation_limit,
    revoke_on_refund,
  }
}

/** The problems that are known before the server is asked. */
export function problemsOfDraft({ name, keys, pattern, ...terms }: ListDraft): Objection[] {
  const problems: Objection[] = []
  if (name.trim() === '') problems.push({ param: 'name', message: t('Give it a name') })
  if (keys === 'generated' && keyBits(pattern) < MIN_KEY_BITS)
    problems.push({
      param: 'generate.pattern',
      message: t(
        'Keys of this pattern could be guessed: add {count, plural, one {# more X} other {# more X}}',
        { count: missingPlaces(pattern) },
      ),
    })
  for (const param of ['expiry_days', 'activation_limit'] as const)
    if (!isCountOrNone(terms[param])) problems.push({ param, message: t('Enter a whole number') })
  return problems
}

/** How many `X` the pattern lacks. */
const missingPlaces = (pattern: string): number =>
  Math.ceil((MIN_KEY_BITS - keyBits(pattern)) / keyBits('X'))

/** The body of a request, for a draft without problems. */
export function bodyOf(draft: ListDraft): LicenceListChange & { name: string } {
  const { name, keys, pattern, prefix, checksum, revoke_on_refund } = draft
  const { expiry_days, activation_limit } = draft
  return {
    name: name.trim(),
    ...(keys === 'generated' ? { generate: { pattern, prefix, checksum } } : {}),
    ...(isCountOrNone(expiry_days) ? { expiry_days } : {}),
    ...(isCountOrNone(activation_limit) ? { activation_limit } : {}),
    revoke_on_refund,
  }
}
