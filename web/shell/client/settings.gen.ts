// Generated from plugins/contract/settings.ts by `npm run api-types`. Do not edit.
import { t } from '../messages/t.ts'
/** The names of the settings of a file, in the order in which they are declared. */
export const SETTING_LABELS = {
  expiry_days: t('Links expire'),
  download_limit: t('Links allow'),
  visibility: t('Visibility'),
  cdn: t('CDN'),
  download_notification: t('Notification'),
  download_tracking: t('Tracking'),
  allowed_referrers: t('Referrers'),
  view: t('View in the browser'),
  view_limit: t('Views'),
  view_days: t('Views end'),
  available_from: t('Available from'),
  available_after_days: t('Available after the purchase'),
  first_use_hours: t('Expires after the first use'),
  customer_tag: t('Available to'),
  buyer_text: t('Text for buyers'),
  ask_for: t('Asked before a download'),
  sample_pages: t('Sample'),
  sample_seconds: t('Sample'),
}
/** The labels of the shop's defaults that are on or off. */
export const SHOP_SWITCHES = { cdn: t('Enable the CDN immediately') }
