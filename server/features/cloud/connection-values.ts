// The values of a provider's fields: checked, and sorted into settings and secrets.
import { say, type Text, textOf, ownValue } from '../../../plugins/contract/index.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { firstOf } from '../../core/lazy.ts'
import type { Cloud } from './cloud.ts'
import type { Provider, Values } from './providers/provider.ts'

/**
 * Returns the provider's values: the old ones, overridden by the new ones. Throws
 * `validation_failed` with every problem.
 */
export function checkedValues(provider: Provider, given: Values, before: Values) {
  const { settings, secrets, problems } = sortedValues(provider, given, before)
  if (problems.length > 0)
    throw new AppError('validation_failed', { param: firstOf(problems).param, details: problems })
  return { settings, secrets }
}

/** The provider's values that can be used, and the problems of the others. */
export function sortedValues(provider: Provider, given: Values, before: Values) {
  const problems: ErrorDetail[] = []
  const wrong = (param: string, code: ErrorDetail['code'], message: Text) =>
    problems.push({ param, code, message })
  for (const name of Object.keys(given))
    if (!provider.fields.some((field) => field.name === name))
      wrong(name, 'unknown_field', say('{title} has no such field', { title: provider.title }))
  const settings: [string, string][] = []
  const secrets: [string, string][] = []
  for (const { name, required, secret, rule } of provider.fields) {
    const value = ownValue(given, name) ?? ownValue(before, name) ?? ''
    const parsed = rule.safeParse(value)
    if (required && value === '') wrong(name, 'required', say('This field is required'))
    else if (value !== '' && !parsed.success)
      wrong(name, 'invalid_value', textOf(firstOf(parsed.error.issues).message))
    else if (value !== '' || isWhole(name, given, before))
      (secret ? secrets : settings).push([name, value])
  }
  return {
    settings: Object.fromEntries(settings),
    secrets: Object.fromEntries(secrets),
    problems,
  }
}

/** The whole account or bucket was chosen, which differs from no choice. */
const isWhole = (name: string, given: Values, before: Values): boolean =>
  (name === 'folder' || name === 'prefix') && (given[name] ?? before[name]) === ''

/** Throws `validation_failed` for values that are valid separately but not together. */
export function checkTogether(
  cloud: Cloud,
  provider: Provider,
  settings: Values,
  secrets: Values,
): void {
  const detail = problemTogether(cloud, provider, settings, secrets)
  if (detail) throw new AppError('validation_failed', { param: detail.param, details: [detail] })
}

export function problemTogether(
  cloud: Cloud,
  provider: Provider,
  settings: Values,
  secrets: Values,
): ErrorDetail | null {
  const place = { demoFolder: '', allowLoopback: cloud.options.allowLoopback }
  const problem = provider.problem?.({ settings, secrets, place })
  if (!problem) return null
  const { param, message } = problem
  return { param, code: 'invalid_value', message: textOf(message) }
}
