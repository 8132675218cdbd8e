import { expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin, type Plugin, type Workflow } from '../../plugins/contract/index.ts'
import { createSecrets } from '../core/secrets.ts'
import { sensitiveOptions, withoutSensitive } from '../core/sensitive.ts'
import { openOptions, sealOptions } from './sealed.ts'

const password = z.string().optional().meta({ title: 'Password', sensitive: true })
const plugin = (options: z.ZodType): Plugin => ({
  ...definePlugin({
    id: 'open-safe',
    kind: 'act',
    title: 'Open',
    undo: 'none',
    options: z.strictObject({}),
    async *plan() {},
  }),
  options,
})
const safe = plugin(z.strictObject({ password, name: z.string().default('a') }))
const workflow: Workflow = {
  id: 'test',
  title: 'Test',
  action: 'test',
  kind: 'bulk',
  parallel: 1,
  steps: [
    { id: 'one', plugin: 'open-safe', options: { password: 'canary', name: 'left one' } },
    { id: 'two', plugin: 'open-safe', options: { name: 'right one' } },
    { id: 'three', plugin: 'open-safe' },
  ],
}
const place = { shop: 7, secrets: createSecrets('a secret that is long enough for a test') }

test('sensitive options are sealed, others are unchanged, and all can be restored', () => {
  const sealed = sealOptions(workflow, [safe], place)
  expect(JSON.stringify(sealed)).not.toContain('canary')
  expect(JSON.stringify(sealed)).toContain('left one')
  expect(sealed.steps.slice(1)).toEqual(workflow.steps.slice(1))
  const kept = JSON.parse(JSON.stringify(sealed)) as Workflow
  expect(kept.steps.map((step) => openOptions(step, safe, place))).toEqual([
    { password: 'canary', name: 'left one' },
    { name: 'right one' },
    {},
  ])
})

test('no other shop and no other secret opens them', () => {
  const [step] = sealOptions(workflow, [safe], place).steps
  expect(() => openOptions(step!, safe, { ...place, shop: 8 })).toThrow()
  expect(() =>
    openOptions(step!, safe, { ...place, secrets: createSecrets('another secret of some length') }),
  ).toThrow()
})

test('an option is sensitive however its schema is wrapped', () => {
  const schemas = [
    z.strictObject({ password }),
    z.strictObject({ password, other: z.string().optional() }).refine(() => true),
    z
      .strictObject({ password: z.string().default('a').meta({ sensitive: true }) })
      .transform((value) => value),
    z.strictObject({ password: z.string().meta({ sensitive: true }) }),
  ]
  for (const schema of schemas) expect(sensitiveOptions(plugin(schema))).toEqual(['password'])
  expect(withoutSensitive(safe, { password: 'canary', name: 'a' })).toEqual({ name: 'a' })
})
