// The terms of links for many files: each file's own settings, or common terms, with another expiry
// for some.
import { type LinkTerms } from '../../links/calls.ts'
import { EMPTY_ASK, readAsk, type AskForm } from '../../links/ask-form.ts'
import { type Errors, wholeNumber } from './use-form.ts'
import { addressProblem } from '../../../shell/labels/address.ts'
import { t } from '../../../shell/messages/t.ts'

export interface LinksForm extends AskForm {
  expiry: 'own' | 'set' | 'never'
  days: string
  limit: 'own' | 'set' | 'unlimited'
  downloads: string
  email: string
  send: boolean
  /** The days of single files as typed, by the file's id. */
  custom: Record<string, string>
}

export const EMPTY_LINKS: LinksForm = {
  expiry: 'own',
  days: '60',
  limit: 'own',
  downloads: '5',
  email: '',
  send: false,
  custom: {},
  ...EMPTY_ASK,
}

type Terms = LinkTerms & { per_file?: { file_id: string; expiry_days: number }[] }

const MAX_DAYS = 36_500
const DAYS_RULE = t('Enter a whole number from 1 to 36,500')

export function readLinks(form: LinksForm): { options: Terms } | { errors: Errors } {
  const { expiry, limit, send, custom } = form
  const errors: Errors = {}
  const options: Terms = {}
  if (expiry === 'never') options.expiry_days = null
  if (expiry === 'set')
    options.expiry_days = wholeNumber(form.days, 1, MAX_DAYS) ?? fail(errors, 'days', DAYS_RULE)
  if (limit === 'unlimited') options.download_limit = null
  if (limit === 'set')
    options.download_limit =
      wholeNumber(form.downloads, 1, 1_000_000_000) ??
      fail(errors, 'downloads', t('Enter a whole number from 1 up'))
  const email = form.email.trim()
  const problem = addressProblem(email)
  if (problem !== null) errors.email = problem
  else if (email !== '') options.email = email
  else if (send) errors.email = t('Enter the email address')
  const asked = readAsk(form)
  if ('error' in asked) errors.password = asked.error
  else Object.assign(options, asked.terms)
  const own = Object.entries(custom).filter(([, days]) => days.trim() !== '')
  options.per_file = own.map(([file_id, text]) => ({
    file_id,
    expiry_days: wholeNumber(text, 1, MAX_DAYS) ?? fail(errors, 'custom', DAYS_RULE),
  }))
  if (own.length === 0) delete options.per_file
  return Object.keys(errors).length > 0 ? { errors } : { options }
}

/** Records the problem; the returned number is never used. */
function fail(errors: Errors, field: 'days' | 'downloads' | 'custom', message: string): number {
  errors[field] = message
  return 0
}
