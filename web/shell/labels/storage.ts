// Where a file's bytes are.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type FileDetail } from '../client/types.ts'
import { momentText } from './time.ts'
import { t } from '../messages/t.ts'

const NAMES: Readonly<Record<string, string>> = {
  primary: t('Primary storage'),
  backup: t('Backup storage'),
}
export const locationText = (location: string): string => ownValue(NAMES, location) ?? location

/** `Primary storage, with a copy in Backup storage, backed up 3 May 2026, 12:00`. */
export function storageText({ location, copies, backed_up_at }: FileDetail['storage']): string {
  return [
    locationText(location),
    ...copies.map((copy) => t('with a copy in {location}', { location: locationText(copy) })),
    ...(backed_up_at === null ? [] : [t('backed up {at}', { at: momentText(backed_up_at) })]),
  ].join(', ')
}
