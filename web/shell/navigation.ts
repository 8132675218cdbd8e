// The navigation, from the entries of the features.
import { type NavigationEntry, type NavigationGroup, type PageFeature } from './feature.ts'
import { t } from './messages/t.ts'

const GROUPS: Readonly<Record<NavigationGroup, string>> = {
  files: t('Files', {}, 'group'),
  import: t('Import', {}, 'group'),
  sales: t('Sales'),
  automation: t('Automation'),
  activity: t('Activity'),
}

export interface NavigationSection {
  title: string | undefined
  entries: NavigationEntry[]
}

/** Neighbours of one group are one section. */
export function navigationOf(features: readonly PageFeature[]): NavigationSection[] {
  const sections: NavigationSection[] = []
  for (const entry of features.flatMap(({ navigation = [] }) => navigation)) {
    const title = entry.group && GROUPS[entry.group]
    const section = sections.at(-1)
    if (section && section.title === title) section.entries.push(entry)
    else sections.push({ title, entries: [entry] })
  }
  return sections.map(({ title, entries }) => ({
    title,
    entries: entries.toSorted((a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false)),
  }))
}
