// What the palette offers for a text: pages, actions, and the records that features find.
import type { FoundEntry, PageFeature } from '../feature.ts'
import { hasWords } from '../../../plugins/_page/search-key.ts'
import { t } from '../messages/t.ts'

export interface FoundGroup {
  title: string
  entries: readonly FoundEntry[]
}

const MAX_ENTRIES = 6

/** The entries whose texts have every word of the text, in any order. */
const matching = (entries: readonly FoundEntry[], text: string): FoundEntry[] =>
  entries.filter(({ label, detail = '', about = '' }) => hasWords([label, detail, about], text))

/** Pages and actions; without a text all pages, once each. */
export function foundPlaces(features: readonly PageFeature[], text: string): FoundGroup[] {
  const pages = features.flatMap(({ navigation = [], settings = [] }) => [
    ...navigation.map(({ label, url }) => ({ label, url })),
    ...settings.map(({ title, about, url }) => ({
      label: title,
      detail: t('Settings'),
      about,
      url,
    })),
  ])
  const known = new Map(pages.toReversed().map((page) => [page.url, page]))
  const commands = features.flatMap((feature) => feature.commands ?? [])
  return [
    { title: t('Pages'), entries: matching([...known.values()].toReversed(), text) },
    { title: t('Actions'), entries: matching(commands, text) },
  ].filter(({ entries }) => entries.length > 0)
}

interface FoundRecords {
  groups: FoundGroup[]
  /** Not everything could be searched. */
  incomplete: boolean
}

/**
 * Files, orders and other records, from the server. A feature whose search fails gives none: the
 * others' are shown.
 */
export async function foundRecords(
  features: readonly PageFeature[],
  text: string,
  signal: AbortSignal,
): Promise<FoundRecords> {
  const groups = await Promise.all(
    features.flatMap(({ records }) =>
      records === undefined
        ? []
        : [
            records
              .load()
              .then((find) => find(text, MAX_ENTRIES, signal))
              .then((entries) => ({ title: records.title, entries }))
              .catch(() => null),
          ],
    ),
  )
  const found = groups.filter((group) => group !== null)
  const some = found.filter(({ entries }) => entries.length > 0)
  const isExact = ({ entries }: FoundGroup) => entries[0]?.isExact === true
  return {
    // An order's number that was typed in full is what the person looks for.
    groups: [...some.filter(isExact), ...some.filter((group) => !isExact(group))],
    incomplete: found.length < groups.length,
  }
}
