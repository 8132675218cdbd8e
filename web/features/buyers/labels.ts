// Texts about what a buyer has.
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { type Buyer } from './calls.ts'

/** `2 files blocked`; null: none. */
export const blockedFilesText = ({ blocked_files: count }: Pick<Buyer, 'blocked_files'>) =>
  count === 0 ? null : t('{count, plural, one {# file blocked} other {# files blocked}}', { count })

export const ordersText = ({ orders: count }: Pick<Buyer, 'orders'>): string =>
  t('{count, plural, =0 {No orders} one {# order} other {# orders}}', { count })

export const filesText = ({ files: count }: Pick<Buyer, 'files'>): string =>
  t('{count, plural, =0 {No files} one {# file} other {# files}}', { count })

export const downloadsText = ({ downloads: count }: Pick<Buyer, 'downloads'>): string =>
  t('{count, plural, =0 {No downloads} one {# download} other {# downloads}}', { count })

export const lastDownloadText = ({ last_download_at: at }: Pick<Buyer, 'last_download_at'>) =>
  at === null ? t('Not yet') : momentText(at)
