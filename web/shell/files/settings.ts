// The values of a file's settings in words. A setting whose type says enough needs none here; the
// names are generated from the server's list (client/settings.gen.ts).
import { SETTING_LABELS } from '../client/settings.gen.ts'
import { type FileSettings } from '../client/types.ts'
import { numberText } from '../labels/size.ts'
import { t } from '../messages/t.ts'
import {
  askedText,
  customerTagText,
  expiryText,
  firstUseText,
  limitText,
  releaseDayText,
  sampleText,
  waitText,
} from './labels.ts'
import { viewDaysText, viewLimitText, viewText } from './view-labels.ts'

export type SettingName = keyof FileSettings

/** In the order in which they are declared. */
export const SETTING_NAMES = Object.keys(SETTING_LABELS) as readonly SettingName[]

type Texts = { [Name in SettingName]?: (value: FileSettings[Name]) => string }

const TEXTS: Texts = {
  expiry_days: expiryText,
  download_limit: limitText,
  visibility: (visibility) => (visibility === 'public' ? t('Public') : t('Private')),
  allowed_referrers: (sites) => (sites.length > 0 ? sites.join(', ') : t('Any')),
  view: viewText,
  view_limit: viewLimitText,
  view_days: viewDaysText,
  available_from: releaseDayText,
  available_after_days: waitText,
  first_use_hours: firstUseText,
  ask_for: askedText,
  customer_tag: customerTagText,
  sample_pages: (pages) => sampleText('sample_pages', pages),
  sample_seconds: (seconds) => sampleText('sample_seconds', seconds),
}

/** The value of a setting in words. */
export function settingText(name: SettingName, value: unknown): string {
  const text = TEXTS[name] as ((value: unknown) => string) | undefined
  return text ? text(value) : usualText(value)
}

function usualText(value: unknown): string {
  if (typeof value === 'boolean') return value ? t('On') : t('Off')
  if (typeof value === 'number') return numberText(value)
  if (Array.isArray(value) && value.length > 0) return value.join(', ')
  return typeof value === 'string' ? value : t('None')
}
