import { expect, test } from 'vitest'
import { type Workflow } from '../../shell/client/workflows.ts'
import {
  bodyOf,
  copyOf,
  defaultPolicy,
  draftOf,
  isChanged,
  newStep,
  placeFor,
  policiesOf,
  stepsFor,
  withSteps,
} from './draft.ts'

const NO_SUMMARY = { summary: '', summary_text: { message: '', values: {} } }

const workflow: Workflow = {
  id: 'workflow_1',
  name: 'Sale',
  built_in: false,
  kind: 'import',
  parallel: 4,
  channel: 'api',
  enabled: true,
  running: 0,
  last_run: null,
  next_run: null,
  waits_for: null,
  failing_since: null,
  if_not: { after: 2, mail: ['a@example.com'], run: null, again: ['1h'], on_recovery: true },
  version: null,
  when: [
    {
      id: 'trigger_1',
      kind: 'imports',
      enabled: true,
      from: { channel: 'api' },
      on_conflict: null,
      quiet_seconds: null,
      event: null,
      which: {},
      collect: 10,
      max_files: null,
      cap: 100,
      paused: null,
      has_address: false,
      waiting: 0,
    },
  ],
  steps: [
    { id: 'fetch', plugin: 'take-bytes', title: '', ...NO_SUMMARY, options: {} },
    {
      id: 'tag',
      plugin: 'tag',
      title: '',
      ...NO_SUMMARY,
      options: { a: 1 },
      when: { search: 'x' },
      on_failure: 'stop',
      tries: 5,
      pause: 60,
    },
  ],
  cannot_undo: [],
  created_at: null,
  updated_at: null,
}

test('unchanged parts are saved as they were', () => {
  expect(bodyOf(draftOf(workflow))).toEqual({
    name: 'Sale',
    kind: 'import',
    parallel: 4,
    channel: null,
    enabled: true,
    when: [
      {
        id: 'trigger_1',
        kind: 'imports',
        enabled: true,
        from: { channel: 'api' },
        on_conflict: null,
        quiet_seconds: null,
        event: null,
        which: {},
        collect: 10,
        max_files: null,
        cap: 100,
      },
    ],
    steps: [
      { id: 'fetch', plugin: 'take-bytes', options: {} },
      {
        id: 'tag',
        plugin: 'tag',
        options: { a: 1 },
        when: { search: 'x' },
        on_failure: 'stop',
        tries: 5,
        pause: 60,
      },
    ],
    if_not: { after: 2, mail: ['a@example.com'], run: null, again: ['1h'], on_recovery: true },
  })
  expect(isChanged(draftOf(workflow), draftOf(workflow))).toBe(false)
})

test('the failure policy is saved as chosen, and offered for the steps that support it', () => {
  const draft = draftOf(workflow)
  for (const policy of ['drop', 'keep'] as const) {
    draft.steps[1]!.on_failure = policy
    expect(bodyOf(draft).steps[1]).toMatchObject({ on_failure: policy })
  }
  expect([policiesOf('fetch'), policiesOf('validate')]).toEqual(Array(2).fill(['drop', 'stop']))
  expect(policiesOf('optimize')).toEqual(['drop', 'keep', 'stop'])
  expect(defaultPolicy('act', 'import')).toBe('keep')
  expect([defaultPolicy('act', 'bulk'), defaultPolicy('map', 'import')]).toEqual(['drop', 'drop'])
})

test('a copy is not attached, and its steps are new', () => {
  const body = bodyOf(copyOf(workflow))
  expect(body).toMatchObject({ name: 'Copy of Sale', when: [] })
  expect(body.steps.some((step) => 'id' in step)).toBe(false)
})

test('a workflow for files is not attached to imports, and an empty condition is omitted', () => {
  const draft = draftOf(workflow)
  draft.steps[1]!.when = {}
  const body = bodyOf({ ...draft, kind: 'bulk' })
  expect(body.channel).toBeNull()
  expect(body.steps[1]).not.toHaveProperty('when')
})

const PLUGINS = new Map([
  ['take-bytes', { kind: 'fetch', works_on: 'imports' }],
  ['check-type', { kind: 'validate', works_on: null }],
  ['map-products', { kind: 'map', works_on: null }],
  ['tag', { kind: 'act', works_on: null }],
  ['delete', { kind: 'act', works_on: 'files' }],
  ['send-mail', { kind: 'notify', works_on: null }],
] as const)

const named = (...plugins: string[]) => plugins.map((plugin) => newStep(plugin))
const pluginsOf = (steps: readonly { plugin: string }[]) => steps.map(({ plugin }) => plugin)

test('a step is added behind the steps that have to run before it', () => {
  const steps = named('take-bytes', 'tag', 'send-mail')
  expect(placeFor('act', steps, PLUGINS)).toBe(2)
  expect(placeFor('map', steps, PLUGINS)).toBe(1)
  expect(placeFor('notify', steps, PLUGINS)).toBe(3)
  expect(placeFor('fetch', named('tag'), PLUGINS)).toBe(0)
  expect(placeFor('act', [], PLUGINS)).toBe(0)
  // A plugin that this installation no longer has does not move others.
  expect(placeFor('act', named('tag', 'gone'), PLUGINS)).toBe(2)
})

test('a workflow that runs on something else keeps only the steps that can', () => {
  const steps = named('take-bytes', 'tag', 'send-mail')
  expect(pluginsOf(stepsFor('bulk', steps, PLUGINS, workflow))).toEqual(['tag', 'send-mail'])
  const bulk = named('check-type', 'delete', 'send-mail')
  expect(pluginsOf(stepsFor('import', bulk, PLUGINS, workflow))).toEqual([
    'take-bytes',
    'check-type',
    'tag',
    'send-mail',
  ])
  expect(stepsFor('delivery', bulk, PLUGINS, workflow)).toEqual([])
})

test('a choice that is taken back brings back what it took out, and keeps what was added since', () => {
  const bulk = named('check-type', 'delete', 'send-mail')
  const there = stepsFor('import', bulk, PLUGINS, workflow)
  const gone = bulk.filter((step) => !there.includes(step))
  const edited = [...there.filter(({ plugin }) => plugin !== 'send-mail'), ...named('map-products')]
  const back = stepsFor('bulk', withSteps(edited, gone, PLUGINS), PLUGINS, workflow)
  expect(pluginsOf(back)).toEqual(['check-type', 'tag', 'map-products', 'delete'])
  expect(back[0]).toBe(bulk[0])
})
