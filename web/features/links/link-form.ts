// The values of a new link, checked, and the server's problems by field.
import { ownValue } from '../../../plugins/_page/own-value.ts'
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
  /** The file is not viewed, or it is a pack: the terms of views are not asked for. */
  isViewed: boolean
  viewsLimited: boolean
  viewLimit: string
  viewsEnd: boolean
  viewDays: string
  email: string
}

export type LinkFormErrors = Partial<
  Record<'expiryDays' | 'downloadLimit' | 'viewLimit' | 'viewDays' | 'email' | 'password', string>
>

/** Also of views. */
const MAX_DOWNLOADS = 1_000_000_000
const MAX_DAYS = 36_500

/** Initial values: the file's own settings. */
export const linkFormFor = (file: {
  expiry_days: number | null
  download_limit: number | null
  view?: 'download' | 'both' | 'view_only'
  view_limit?: number | null
  view_days?: number | null
}): LinkForm => ({
  expires: file.expiry_days !== null,
  expiryDays: String(file.expiry_days ?? 60),
  limited: file.download_limit !== null,
  downloadLimit: String(file.download_limit ?? 5),
  isViewed: file.view === 'both' || file.view === 'view_only',
  viewsLimited: (file.view_limit ?? null) !== null,
  viewLimit: String(file.view_limit ?? 10),
  viewsEnd: (file.view_days ?? null) !== null,
  viewDays: String(file.view_days ?? 365),
  email: '',
  ...EMPTY_ASK,
})

/** The form of a pack's link starts with the shop's terms, without those of views. */
export const packLinkFormFor = ({
  expiry_days,
  download_limit,
}: Parameters<typeof linkFormFor>[0]): LinkForm => linkFormFor({ expiry_days, download_limit })

/** Terms that are numbers: the field of each, and the one that says whether it has a limit. */
const NUMBERS = [
  { term: 'expiry_days', field: 'expiryDays', on: 'expires', most: MAX_DAYS },
  { term: 'download_limit', field: 'downloadLimit', on: 'limited', most: MAX_DOWNLOADS },
  { term: 'view_limit', field: 'viewLimit', on: 'viewsLimited', most: MAX_DOWNLOADS },
  { term: 'view_days', field: 'viewDays', on: 'viewsEnd', most: MAX_DAYS },
] as const

/** The requested link, or the problem of each field. */
export function readLinkForm(form: LinkForm): { link: NewLink } | { errors: LinkFormErrors } {
  const errors: LinkFormErrors = {}
  const terms: Pick<NewLink, (typeof NUMBERS)[number]['term']> = {}
  for (const { term, field, on, most } of form.isViewed ? NUMBERS : NUMBERS.slice(0, 2)) {
    const value = form[on] ? whole(form[field], most) : null
    if (value !== undefined) terms[term] = value
    else
      errors[field] =
        most === MAX_DAYS
          ? t('Enter a whole number from 1 to 36,500')
          : t('Enter a whole number from 1 up')
  }
  const email = form.email.trim()
  const problem = addressProblem(email)
  if (problem !== null) errors.email = problem
  const asked = readAsk(form)
  if ('error' in asked) return { errors: { ...errors, password: asked.error } }
  if (Object.keys(errors).length > 0) return { errors }
  return { link: { ...terms, ...(email === '' ? {} : { email }), ...asked.terms } }
}

const FIELDS: Record<string, keyof LinkFormErrors> = {
  expiry_days: 'expiryDays',
  download_limit: 'downloadLimit',
  view_limit: 'viewLimit',
  view_days: 'viewDays',
  email: 'email',
  password: 'password',
}

/** The server's problems: by field if they name one; `other`: the remaining error. */
export function linkProblems(error: Error): { fields: LinkFormErrors; other: Error | null } {
  if (!(error instanceof ApiError)) return { fields: {}, other: error }
  const fields: LinkFormErrors = {}
  let unplaced = error.details.length === 0
  for (const { param, message } of error.details) {
    const field = ownValue(FIELDS, param)
    if (field) fields[field] ??= message
    else unplaced = true
  }
  return { fields, other: unplaced ? error : null }
}

function whole(text: string, largest: number): number | undefined {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : 0
  return value >= 1 && value <= largest ? value : undefined
}
