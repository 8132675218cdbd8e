// Workflows become documents and workflows again without a difference.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appConfig } from '../../../app.config.ts'
import { sized } from '../../../test/scale.ts'
import { checkWorkflow, type WorkflowBody } from '../workflows/check.ts'
import { workflowBody } from '../workflows/record.ts'
import { triggerBody } from '../workflows/triggers.ts'
import { readDocument, writeDocument } from './document-text.ts'
import { completed, documentOfWorkflow, workflowOfDocument } from './workflow-document.ts'

const parts = appConfig({})

/** As a save would store it: steps have ids. */
const stored = (body: WorkflowBody): WorkflowBody => {
  const { workflow } = checkWorkflow(body, { plugins: [], workflows: [] })
  return {
    ...body,
    steps: body.steps.map((step, at) => ({ ...step, id: workflow.steps[at]!.id })),
  }
}

function wayBack(body: WorkflowBody): void {
  const document = documentOfWorkflow(body)
  const text = writeDocument(document)
  const read = readDocument(text).value
  expect(read).toEqual(document)
  const { body: given, problems } = workflowOfDocument(read)
  expect(problems).toEqual([])
  const again = stored(completed(given))
  expect(again.steps.map(({ id }) => id)).toEqual(body.steps.map(({ id }) => id))
  expect(documentOfWorkflow(again)).toEqual(document)
  expect(writeDocument(documentOfWorkflow(again))).toBe(text)
}

const valid = (body: unknown) => stored(workflowBody.parse(body) as WorkflowBody)

test.each(parts.workflows.map((workflow) => [workflow.id, workflow] as const))(
  'the built-in workflow %s',
  (_id, { title, kind, parallel, steps }) => {
    const all = steps.map(({ onFailure, ...step }) => ({
      ...step,
      ...(onFailure ? { on_failure: onFailure } : {}),
    }))
    wayBack(valid({ name: title, kind, parallel, steps: all }))
  },
)

// Texts that YAML takes for something else, and any others.
const text = fc.oneof(
  fc.constantFrom(
    'yes',
    'null',
    '~',
    '1e3',
    '- a',
    '#',
    'a: b',
    '{',
    '"',
    "'",
    ' x ',
    '',
    '1MB',
    '<<',
  ),
  fc.constantFrom('two\nlines', '\ttab', '2026-01-31', '0x10', '!!binary x', '&a', '*a', '\u2028'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
/** A number that a computer keeps exactly. */
const exact = (_name: string, one: unknown): unknown =>
  Number.isInteger(one) && !Number.isSafeInteger(one) ? 7 : one
const value = fc
  .jsonValue({ maxDepth: 1, stringUnit: 'grapheme' })
  .map((one) => JSON.parse(JSON.stringify(one), exact) as unknown)
const options = fc.dictionary(text, fc.oneof(text, value), { maxKeys: 3 })
const size = fc.oneof(
  fc.nat(),
  fc.nat(5000).map((n) => n * 1000),
  fc.constantFrom(1e6, 2.5e9),
)
const simple = {
  search: text,
  type: fc.array(text, { maxLength: 3 }),
  tags_none: fc.array(text, { maxLength: 3 }),
  name_like: text,
  mapped: fc.boolean(),
  larger_than: size,
  smaller_than: size,
  version_above: fc.nat(9),
  product: text,
}
const part = fc.record(simple, { requiredKeys: [] })
const condition = fc.record(
  { ...simple, any: fc.array(part, { maxLength: 2 }) },
  { requiredKeys: [] },
)
const step = fc.record(
  {
    plugin: fc.constantFrom(...parts.plugins.map(({ id }) => id)),
    id: fc.constantFrom('first', 'tag-files', 'tag-files-2', 'wait-3'),
    options,
    when: condition,
    on_failure: fc.constantFrom('drop', 'keep', 'stop'),
  },
  { requiredKeys: ['plugin'] },
)
const trigger = fc
  .record(
    {
      kind: fc.constantFrom('event', 'hook', 'imports'),
      enabled: fc.boolean(),
      event: fc.constantFrom('file.imported', 'order.refunded'),
      drop_account: text,
      collect: fc.oneof(fc.nat(86_400), fc.constantFrom(60, 3600, 86_400)),
      quiet_seconds: fc.oneof(fc.integer({ min: 30, max: 86_400 }), fc.constant(null)),
      max_files: fc.integer({ min: 1, max: 1e6 }),
      cap: fc.integer({ min: 1, max: 1e6 }),
      which: condition,
    },
    { requiredKeys: ['kind', 'event', 'drop_account'] },
  )
  .map(({ kind, event, drop_account, which = {}, ...others }) => ({
    ...triggerBody.parse({ kind }),
    ...others,
    which,
    event: kind === 'event' ? event : null,
    from: kind === 'imports' ? { drop_account } : null,
  }))

test('any workflow', () => {
  const workflow = fc.record({
    name: text,
    kind: fc.constantFrom('import', 'bulk', 'delivery'),
    parallel: fc.integer({ min: 1, max: 16 }),
    enabled: fc.boolean(),
    channel: fc.constant(null),
    steps: fc.uniqueArray(step, {
      minLength: 1,
      maxLength: 4,
      selector: ({ id }) => id ?? Symbol('none'),
    }),
    when: fc.array(trigger, { maxLength: 3 }),
  })
  fc.assert(
    fc.property(workflow, (body) => wayBack(stored(body as unknown as WorkflowBody))),
    { numRuns: sized(200, 1000) },
  )
})
