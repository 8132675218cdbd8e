import { expect, test } from 'vitest'
import { pluginOf } from '../../shell/client/plugin-sample.ts'
import { type PluginList } from '../../shell/client/plugins.ts'
import { type File } from '../../shell/client/types.ts'
import { menuOf } from './actions.ts'
import { unfitReason } from './fits.ts'
import { type ActionFiles } from './selection.ts'

const list: PluginList = {
  next_cursor: null,
  channel_actions: [],
  groups: [
    { id: 'automate', title: 'More actions' },
    { id: 'trash', title: 'Trash' },
  ],
  data: [
    pluginOf('sort-files', [{ promoted: true }]),
    pluginOf('burn-files', [{ promoted: true, destructive: true }]),
    pluginOf('stamp-files', [{}, { fits: { places: ['list'], rules: [], noun: null } }]),
    pluginOf('raise-files', [
      { group: 'trash', fits: { places: ['trash'], rules: [], noun: null } },
    ]),
    pluginOf('step-alone'),
  ],
}
const named = (place: 'files' | 'trash') => {
  const { promoted, groups } = menuOf(list, place)
  return {
    promoted: promoted.map((entry) => (entry === 'workflow' ? entry : entry.action.id)),
    groups: groups.map(({ title, entries }) => [title, ...entries.map(({ action }) => action.id)]),
  }
}

test('menus have the entries of the plugins, by place and group; workflows come before destructive actions', () => {
  expect(named('files')).toEqual({
    promoted: ['sort-files', 'workflow', 'burn-files'],
    groups: [['More actions', 'stamp-files']],
  })
  expect(named('trash')).toEqual({ promoted: [], groups: [['Trash', 'raise-files']] })
  expect(menuOf(undefined, 'files')).toEqual({ promoted: ['workflow'], groups: [] })
})

const file = (filename: string, tags: string[] = []) =>
  ({ filename, tags, mappings: [] }) as unknown as File
const chosen = (files: File[], part: Partial<ActionFiles> = {}): ActionFiles => ({
  select: { file_ids: [] },
  count: files.length,
  files,
  known: true,
  list: { filter: {}, total: 0 },
  ...part,
})

test('the first unmet rule gives the reason; with unknown files there is none', () => {
  const pdf = { extensions: ['pdf'] }
  const some = [{ rule: 'some', files: pdf, least: 2, why: 'Two' }] as const
  expect(unfitReason(some, chosen([file('a.PDF'), file('b.txt')]))).toBe('Two')
  expect(unfitReason(some, chosen([file('a.pdf'), file('b.pdf')]))).toBeNull()
  expect(unfitReason(some, chosen([], { known: false, count: 9 }))).toBeNull()
  const every = [{ rule: 'every', files: pdf, why: '{filename} is none' }] as const
  expect(unfitReason(every, chosen([file('a.pdf'), file('b.txt')]))).toBe('b.txt is none')
  const ticked = [{ rule: 'ticked', most: 2, why: 'Tick' }] as const
  expect(unfitReason(ticked, chosen([file('a.pdf')], { known: false }))).toBe('Tick')
  expect(unfitReason(ticked, chosen([file('a'), file('b'), file('c')]))).toBe('Tick')
  const capitals = [{ rule: 'some', files: { capitals: true }, why: 'None' }] as const
  expect(unfitReason(capitals, chosen([file('a', ['b'])]))).toBe('None')
  expect(unfitReason(capitals, chosen([file('a', ['B'])]))).toBeNull()
})
