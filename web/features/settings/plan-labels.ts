// Texts about plans: limits, usage, prices.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type Plan, type PlanState } from './plan-calls.ts'
import { pageLocale } from '../../shell/messages/locale.ts'
import { t } from '../../shell/messages/t.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'

type Limits = Plan['limits']
export type Limit = keyof Limits

export const LIMITS: Readonly<Record<Limit, string>> = {
  files: t('Files'),
  storage_bytes: t('Storage'),
  monthly_downloads: t('Downloads this month'),
}

const FEATURES: Readonly<Record<string, string>> = {
  workflows: t('Custom workflows'),
  schedules: t('Scheduled tasks'),
  connections: t('Cloud connections'),
  webhooks: t('Webhooks'),
  realtime: t('FTP and SFTP imports in real time'),
}

export const featureText = (feature: string): string => ownValue(FEATURES, feature) ?? feature

const amountText = (limit: Limit, amount: number): string =>
  limit === 'storage_bytes' ? sizeText(amount) : numberText(amount)

/** `12`, `1 GB, 200 MB being removed` */
function keptText(limit: Limit, used: PlanState['used']): string {
  const amount = amountText(limit, used[limit])
  if (limit !== 'storage_bytes' || used.removing_bytes === 0) return amount
  return t('{amount} (and {removing} being removed)', {
    amount,
    removing: sizeText(used.removing_bytes),
  })
}

/** `12 of 100`, `12, no limit` */
export function usedText(limit: Limit, { used, limits }: Pick<PlanState, 'used' | 'limits'>) {
  const most = limits?.[limit] ?? null
  const amount = keptText(limit, used)
  if (most === null) return t('{amount}, no limit', { amount })
  return t('{amount} of {most}', { amount, most: amountText(limit, most) })
}

/** `100 files, 1 GB of storage, 500 downloads a month` */
export function limitsText({ files, storage_bytes, monthly_downloads }: Limits): string {
  const parts = [
    files === null
      ? t('Any number of files')
      : t('{files, plural, one {# file} other {# files}}', { files }),
    storage_bytes === null
      ? t('any amount of storage')
      : t('{size} of storage', { size: sizeText(storage_bytes) }),
    monthly_downloads === null
      ? t('any number of downloads')
      : t('{count, plural, one {# download a month} other {# downloads a month}}', {
          count: monthly_downloads,
        }),
  ]
  return parts.join(' · ')
}

/** Null: the platform shows the price. */
export function priceText({ price }: Pick<Plan, 'price'>): string | null {
  if (price === null) return null
  const amount = new Intl.NumberFormat(pageLocale(), {
    style: 'currency',
    currency: price.currency,
  }).format(price.amount)
  return price.interval === 'ANNUAL'
    ? t('{amount} a year', { amount })
    : t('{amount} every 30 days', { amount })
}
