import { describe, expect, test } from 'vitest'
import type { PageFeature } from '../feature.ts'
import { foundPlaces, foundRecords } from './found.ts'

const icon = () => null
const FEATURES: readonly PageFeature[] = [
  {
    name: 'files',
    routes: [],
    navigation: [{ url: '/files', label: 'Files', icon }],
    records: {
      title: 'Files',
      load: async () => async (text, limit) =>
        [
          { label: `${text}.pdf`, url: '/files/1' },
          { label: 'other', url: '/files/2' },
        ].slice(0, limit),
    },
  },
  {
    name: 'workflows',
    routes: [],
    navigation: [{ url: '/workflows', label: 'Workflows', icon }],
    settings: [{ section: 'automation', url: '/workflows', title: 'Workflows', about: '' }],
    commands: [{ label: 'New workflow', url: '/workflows/new' }],
    records: { title: 'Workflows', load: () => Promise.reject(new Error('offline')) },
  },
]

describe('places', () => {
  test('without a text, every page is offered once', () => {
    expect(foundPlaces(FEATURES, '')).toEqual([
      {
        title: 'Pages',
        entries: [
          { label: 'Files', url: '/files' },
          { label: 'Workflows', url: '/workflows' },
        ],
      },
      { title: 'Actions', entries: [{ label: 'New workflow', url: '/workflows/new' }] },
    ])
  })
  test('words match in any order and without regard to case', () => {
    expect(foundPlaces(FEATURES, 'WORK new')).toEqual([
      { title: 'Actions', entries: [{ label: 'New workflow', url: '/workflows/new' }] },
    ])
    expect(foundPlaces(FEATURES, 'nothing like it')).toEqual([])
  })
})

test('records of a feature whose search fails do not hide the others', async () => {
  expect(await foundRecords(FEATURES, 'guide', new AbortController().signal)).toEqual({
    groups: [
      {
        title: 'Files',
        entries: [
          { label: 'guide.pdf', url: '/files/1' },
          { label: 'other', url: '/files/2' },
        ],
      },
    ],
    incomplete: true,
  })
})

test('what was typed in full comes first, and pages are found by what they are about', async () => {
  const orders: PageFeature = {
    name: 'orders',
    routes: [],
    settings: [
      {
        section: 'advanced',
        url: '/settings/mail',
        title: 'Sent mail',
        about: 'Messages to buyers',
      },
    ],
    records: {
      title: 'Deliveries',
      load: async () => async () => [{ label: 'Order #1012', url: '/deliveries/1', isExact: true }],
    },
  }
  const { groups } = await foundRecords([...FEATURES, orders], '1012', new AbortController().signal)
  expect(groups.map(({ title }) => title)).toEqual(['Deliveries', 'Files'])
  expect(foundPlaces([orders], 'buyers messages').flatMap(({ entries }) => entries)).toMatchObject([
    { label: 'Sent mail' },
  ])
})
