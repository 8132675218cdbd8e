import { expect, test } from 'vitest'
import { type NavigationEntry, type PageFeature } from './feature.ts'
import { navigationOf } from './navigation.ts'

const feature = (...navigation: Partial<NavigationEntry>[]): PageFeature => ({
  ...{ name: '', routes: [] },
  navigation: navigation.map((entry) => ({ url: '', label: '', icon: 'icon', ...entry })),
})

test('neighbours of one group are a section, its last entries at the end', () => {
  const sections = navigationOf([
    feature({ label: 'Home' }),
    feature(
      { group: 'files', label: 'All files' },
      { group: 'files', label: 'Trash', isLast: true },
    ),
    { name: 'without', routes: [] },
    feature({ group: 'files', label: 'Reviews' }),
    feature({ group: 'sales', label: 'Deliveries' }),
    feature({ label: 'Settings' }),
  ])
  expect(sections.map(({ title, entries }) => [title, entries.map(({ label }) => label)])).toEqual([
    [undefined, ['Home']],
    ['Files', ['All files', 'Reviews', 'Trash']],
    ['Sales', ['Deliveries']],
    [undefined, ['Settings']],
  ])
})
