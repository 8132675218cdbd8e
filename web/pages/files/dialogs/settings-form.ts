// What the form for many files' settings says: what is left alone is not sent.
import { type File } from '../../../client/types.ts'
import { type Errors, type Reading, wholeNumber } from './use-form.ts'

export interface SettingsForm {
  expiry: 'keep' | 'set' | 'add' | 'never'
  days: string
  limit: 'keep' | 'set' | 'unlimited'
  downloads: string
  visibility: 'keep' | File['visibility']
  cdn: OnOff
  download_notification: OnOff
  download_tracking: OnOff
  referrers: 'keep' | 'any' | 'these'
  sites: string[]
}

export type OnOff = 'keep' | 'on' | 'off'

export const EMPTY_SETTINGS: SettingsForm = {
  expiry: 'keep',
  days: '60',
  limit: 'keep',
  downloads: '5',
  visibility: 'keep',
  cdn: 'keep',
  download_notification: 'keep',
  download_tracking: 'keep',
  referrers: 'keep',
  sites: [],
}

const MAX_DAYS = 36_500
const MAX_DOWNLOADS = 1_000_000_000
const SWITCHES = ['cdn', 'download_notification', 'download_tracking'] as const

/** The options of `update-settings`, or what is wrong with each field. */
export function readSettings(form: SettingsForm): Reading {
  const errors: Errors = {}
  const options: Record<string, unknown> = {}
  if (form.expiry === 'never') options.expiry_days = null
  else if (form.expiry !== 'keep') {
    const days = wholeNumber(form.days, 1, MAX_DAYS)
    if (days === null) errors.days = 'Write a whole number from 1 to 36,500'
    else options[form.expiry === 'set' ? 'expiry_days' : 'add_expiry_days'] = days
  }
  if (form.limit === 'unlimited') options.download_limit = null
  else if (form.limit === 'set') {
    const downloads = wholeNumber(form.downloads, 1, MAX_DOWNLOADS)
    if (downloads === null) errors.downloads = 'Write a whole number from 1 up'
    else options.download_limit = downloads
  }
  if (form.visibility !== 'keep') options.visibility = form.visibility
  for (const name of SWITCHES) if (form[name] !== 'keep') options[name] = form[name] === 'on'
  if (form.referrers === 'any') options.allowed_referrers = []
  if (form.referrers === 'these') {
    if (form.sites.length === 0) errors.sites = 'Name at least one site, like example.com'
    else options.allowed_referrers = form.sites
  }
  if (Object.keys(errors).length > 0) return { errors }
  if (Object.keys(options).length === 0) return { errors: { form: 'Choose at least one setting to change' } }
  return { options }
}

/** Where the server's objections to an option are shown. */
export const SETTINGS_FIELDS = {
  expiry_days: 'days',
  add_expiry_days: 'days',
  download_limit: 'downloads',
  allowed_referrers: 'sites',
}
