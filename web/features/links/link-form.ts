// The values of a new link, checked, and the server's problems by field.
import { ApiError } from '../../shell/client/error.ts'
import { type NewLink } from '../../shell/client/queries.ts'
import { EMPTY_ASK, readAsk, type AskForm } from './ask-form.ts'
import { addressProblem } from '../../shell/labels/address.ts'
import { t } from '../../shell/messages/t.ts'

export interface LinkForm extends AskForm {
  expires: boolean
  expiryDays: string
  limited: boolean
  downloadLimit: string
  email: string
}

export type LinkFormErrors = Partial<
  Record<'expiryDays' | 'downloadLimit' | 'email' | 'password', string>
>

const MAX_DOWNLOADS = 1_000_000_000
const MAX_DAYS = 36_500

/** Initial values: the file's own settings. */
export const linkFormFor = (file: {
  expiry_days: number | null
  download_limit: number | null
}): LinkForm => ({
  expires: file.expiry_days !== null,
  expiryDays: String(file.expiry_days ?? 60),
  limited: file.download_limit !== null,
  downloadLimit: String(file.download_limit ?? 5),
  email: '',
  ...EMPTY_ASK,
})

/** The requested link, or the problem of each field. */
export function readLinkForm(form: LinkForm): { link: NewLink } | { errors: LinkFormErrors } {
  const errors: LinkFormErrors = {}
  const days = form.expires ? whole(form.expiryDays, MAX_DAYS) : null
  const limit = form.limited ? whole(form.downloadLimit, MAX_DOWNLOADS) : null
  const email = form.email.trim()
  if (days === undefined) errors.expiryDays = t('Enter a whole number from 1 to 36,500')
  if (limit === undefined) errors.downloadLimit = t('Enter a whole number from 1 up')
  const problem = addressProblem(email)
  if (problem !== null) errors.email = problem
  const asked = readAsk(form)
  if ('error' in asked) errors.password = asked.error
  if (days === undefined || limit === undefined || problem !== null || 'error' in asked)
    return { errors }
  return {
    link: {
      ...{ expiry_days: days, download_limit: limit },
      ...(email === '' ? {} : { email }),
      ...asked.terms,
    },
  }
}

const FIELDS: Record<string, keyof LinkFormErrors> = {
  expiry_days: 'expiryDays',
  download_limit: 'downloadLimit',
  email: 'email',
  password: 'password',
}

/** The server's problems: by field if they name one; `other`: the remaining error. */
export function linkProblems(error: Error): { fields: LinkFormErrors; other: Error | null } {
  if (!(error instanceof ApiError)) return { fields: {}, other: error }
  const fields: LinkFormErrors = {}
  let unplaced = error.details.length === 0
  for (const { param, message } of error.details) {
    const field = FIELDS[param]
    if (field) fields[field] ??= message
    else unplaced = true
  }
  return { fields, other: unplaced ? error : null }
}

function whole(text: string, largest: number): number | undefined {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : 0
  return value >= 1 && value <= largest ? value : undefined
}
