import { afterEach, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { z } from 'zod'
import { createTestEngine, makeBytes, workflowOf, type TestEngine } from '../../test/engine.ts'
import {
  definePlugin,
  type FailurePolicy,
  type Outcome,
  type PluginKind,
} from '../../plugins/contract/index.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const NAMES = ['good.pdf', 'encrypted.pdf', 'crashing.pdf', 'slow.pdf', 'skipped.pdf']
type Failing = Extract<Outcome, { status: 'failed' }>
const failing = { status: 'failed', code: 'pdf_encrypted', message: 'It is encrypted' } as const

/** A step of this kind that fails by file name, followed by a step that tags. */
function plugins(kind: Exclude<PluginKind, 'notify'>) {
  const work = definePlugin({
    id: 'work',
    kind,
    title: 'Stamp it',
    options: z.strictObject({}),
    undo: 'fields',
    async *plan(items): AsyncGenerator<Outcome> {
      for (const { id: item, file } of items) {
        await Promise.resolve()
        if (file.filename === 'encrypted.pdf')
          yield { item, ...failing, retryable: false, detail: 'AES' } as Failing
        else if (file.filename === 'slow.pdf')
          yield { item, ...failing, retryable: true } as Failing
        else if (file.filename === 'skipped.pdf')
          yield { item, status: 'skipped', reason: 'No page' }
        // No outcome for `crashing.pdf`: a bug in the step.
        else if (file.filename !== 'crashing.pdf')
          yield { item, status: 'ok', change: { tags: { add: ['stamped'] } } }
      }
    },
  })
  const tag = definePlugin({
    id: 'tag',
    kind: 'act',
    title: 'Tag',
    options: z.strictObject({}),
    undo: 'fields',
    async *plan(items): AsyncGenerator<Outcome> {
      for (const item of items)
        yield {
          item: item.id,
          status: 'ok',
          change: { tags: { add: ['seen'] } },
        }
    },
  })
  return [makeBytes, work, tag]
}

const importing = (policy?: FailurePolicy) => {
  const workflow = workflowOf('make-bytes', 'work', 'tag')
  const steps = workflow.steps.map((step) =>
    step.id === 'work' && policy ? { ...step, onFailure: policy } : step,
  )
  return { ...workflow, parallel: 1, steps }
}

async function engineOf(
  kind: Exclude<PluginKind, 'notify'>,
  workflow = importing(),
): Promise<TestEngine> {
  const engine = await createTestEngine(plugins(kind), [workflow])
  cleanups.push(() => engine.close())
  const worker = await engine.startWorker()
  cleanups.push(() => worker.stop())
  return engine
}

const tagsOf = async (engine: TestEngine) => {
  const rows = await engine.scope.query<{ filename: string; tags: string[] }>(
    'select filename, tags from files where shop_id = :shop',
  )
  return Object.fromEntries(rows.map(({ filename, tags }) => [filename, tags]))
}

test('an import keeps a file that fails in a step of kind act', async () => {
  const engine = await engineOf('act')
  const names = NAMES.slice(0, 2)
  const { operation } = await engine.untilEnd(await engine.start(importing(), names))
  expect(operation).toMatchObject({ status: 'success', done: 2, failed: 0, skipped: 0 })
})

soakTest(
  'an import keeps a file that fails in a step of kind optimize, with a warning',
  async () => {
    const engine = await engineOf('optimize')
    const { operation, items } = await engine.untilEnd(await engine.start(importing(), NAMES))
    expect(operation).toMatchObject({ status: 'success', done: 5, failed: 0, skipped: 0 })
    expect(await tagsOf(engine)).toEqual({
      'good.pdf': ['stamped', 'seen'],
      ...Object.fromEntries(NAMES.slice(1).map((name) => [name, ['seen']])),
    })
    const because = 'The step “Stamp it” failed, so the file was kept as it was: '
    const english = items.map(
      ({ warnings }) => warnings?.map(({ code, message }) => ({ code, message })) ?? null,
    )
    expect(english).toEqual([
      null,
      [{ code: 'pdf_encrypted', message: `${because}It is encrypted (AES)` }],
      [{ code: 'plugin_failed', message: `${because}The step work failed on this file` }],
      [{ code: 'pdf_encrypted', message: `${because}It is encrypted` }],
      null,
    ])
    // Retryable failures are retried first.
    expect(items.map(({ attempt }) => attempt)).toEqual([1, 1, 3, 3, 1])
  },
)

test('an import drops the file if the step says so, or if its kind decides about the file', async () => {
  for (const [kind, workflow] of [
    ['act', importing('drop')],
    ['validate', importing()],
  ] as const) {
    const engine = await engineOf(kind, workflow)
    const { operation } = await engine.untilEnd(await engine.start(workflow, NAMES.slice(0, 2)))
    expect(operation).toMatchObject({ status: 'partial', done: 1, failed: 1 })
    expect(Object.keys(await tagsOf(engine))).toEqual(['good.pdf'])
  }
})

soakTest(
  'a bulk operation counts the failure, unless its step passes the file on to the next one',
  async () => {
    const engine = await engineOf('act')
    await engine.untilEnd(
      await engine.start(
        { ...importing(), steps: importing().steps.slice(0, 1) },
        NAMES.slice(0, 2),
      ),
    )
    const bulk = (policy?: FailurePolicy) => ({
      ...importing(policy),
      kind: 'bulk' as const,
      steps: importing(policy).steps.slice(1),
    })
    const failed = await engine.untilEnd(await engine.startOn(bulk()))
    expect(failed.operation).toMatchObject({ status: 'partial', done: 1, failed: 1 })
    const kept = await engine.untilEnd(await engine.startOn(bulk('keep')))
    expect(kept.operation).toMatchObject({ status: 'success', done: 2, failed: 0 })
    expect(await tagsOf(engine)).toEqual({
      'good.pdf': ['stamped', 'seen'],
      'encrypted.pdf': ['seen'],
    })
    expect(kept.items.flatMap(({ warnings }) => warnings ?? [])).toHaveLength(1)
  },
)
