import { describe, expect, test } from 'vitest'
import { pluginOf } from '../../shell/client/plugin-sample.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import { byKind, runsOnText, stepsText, unfitText, workflowPlace } from './step-labels.ts'

const options = {
  properties: {
    rules: {
      title: 'Rules',
      type: 'array',
      items: { type: 'object', properties: { tags: { title: 'Tags' } } },
    },
  },
}
const plugin = (id: string, kind: Plugin['kind'], part: Partial<Plugin> = {}): Plugin =>
  pluginOf(id, [], { kind, title: `The ${id}`, options, ...part })

describe('a field of the form', () => {
  test.each([
    ['name', 'Name'],
    ['steps', 'Steps'],
    ['steps[1]', 'Step 2, The rule'],
    ['steps[1].options', 'Step 2, The rule'],
    ['steps[1].options.rules[0].tags[3]', 'Step 2, The rule, Rules, 1, Tags, 4'],
    ['steps[0].when.search', 'Step 1, The tag, Only for some files'],
    ['steps[5].plugin', 'Step 6'],
    ['', ''],
  ])('%s', (param, text) =>
    expect(workflowPlace(param, [plugin('tag', 'act'), plugin('rule', 'act')])).toBe(text),
  )
})

test('plugins are grouped by kind, in the order of work, without empty groups', () => {
  const groups = byKind([
    plugin('tell', 'notify'),
    plugin('tag', 'act'),
    plugin('get', 'fetch'),
    plugin('cut', 'act'),
  ])
  expect(groups.map(({ plugins }) => plugins.map(({ id }) => id))).toEqual([
    ['get'],
    ['tag', 'cut'],
    ['tell'],
  ])
})

test('an incompatible step gives the reason', () => {
  expect(unfitText(plugin('get', 'fetch', { works_on: 'imports' }), 'bulk')).toBe(
    'Works on imports only',
  )
  expect(unfitText(plugin('cut', 'act', { works_on: 'files' }), 'import')).toBe(
    'Works on files that are already here',
  )
  expect(unfitText(plugin('tag', 'act'), 'import')).toBeNull()
})

test('its input and its steps, in a line', () => {
  const channels = [
    { id: 'csv', title: 'CSV', imports: { title: 'CSV import', plural: 'CSV imports' } },
  ]
  expect(runsOnText({ kind: 'bulk', channel: null }, channels)).toBe('Selected files')
  expect(runsOnText({ kind: 'import', channel: 'csv' }, channels)).toBe('CSV imports')
  expect(runsOnText({ kind: 'import', channel: null }, channels)).toBe('Imports, not attached')
  expect(stepsText([{ title: 'Tag' }, { title: 'Notify' }])).toBe('Tag → Notify')
})
