// The values of a provider's fields: checked, and sorted into settings and secrets.
import { say, type Text, textOf } from '../../../plugins/contract.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { firstOf } from '../../core/present.ts'
import type { Cloud } from './cloud.ts'
import type { Provider, Values } from './providers/provider.ts'

/**
 * Returns the provider's values: the old ones, overridden by the new ones. Throws
 * `validation_failed` with every problem.
 */
export function checkedValues(provider: Provider, given: Values, before: Values) {
  const details: ErrorDetail[] = []
  const wrong = (param: string, code: ErrorDetail['code'], message: Text) =>
    details.push({ param, code, message })
  for (const name of Object.keys(given))
    if (!provider.fields.some((field) => field.name === name))
      wrong(name, 'unknown_field', say('{title} has no such field', { title: provider.title }))
  const settings: Record<string, string> = {}
  const secrets: Record<string, string> = {}
  for (const { name, required, secret, rule } of provider.fields) {
    const value = given[name] ?? before[name] ?? ''
    const parsed = rule.safeParse(value)
    if (required && value === '') wrong(name, 'required', say('This field is required'))
    else if (value !== '' && !parsed.success)
      wrong(name, 'invalid_value', textOf(firstOf(parsed.error.issues).message))
    else if (value !== '' || isWhole(name, given, before))
      (secret ? secrets : settings)[name] = value
  }
  if (details.length > 0) throw new AppError('validation_failed', { details })
  return { settings, secrets }
}

/** The whole account or bucket was chosen, which differs from no choice. */
const isWhole = (name: string, given: Values, before: Values): boolean =>
  (name === 'folder' || name === 'prefix') && (given[name] ?? before[name]) === ''

export function checkTogether(
  cloud: Cloud,
  provider: Provider,
  settings: Values,
  secrets: Values,
): void {
  const place = { demoFolder: '', allowLoopback: cloud.options.allowLoopback }
  const problem = provider.problem?.({ settings, secrets, place })
  if (!problem) return
  const detail: ErrorDetail = {
    param: problem.param,
    code: 'invalid_value',
    message: textOf(problem.message),
  }
  throw new AppError('validation_failed', { param: problem.param, details: [detail] })
}
