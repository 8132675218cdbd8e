// Requirements of every plugin. A case gives its input and its outside state; the plugin must find
// something to do in it, or the suite proves nothing.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  actionsOf,
  adviceOf,
  type ActionView,
  type Item,
  type ItemPlugin,
  type Notifier,
  type OperationContext,
  type OperationPlugin,
  type OperationView,
  type Outcome,
  type Plugin,
  type ReadContext,
  type RemoteReader,
  type WriteContext,
} from '../../plugins/contract/index.ts'
import { isErrorCode } from '../../server/core/errors.ts'
import { inEnglish } from '../english.ts'
import { operationContext } from '../fakes/context.ts'
import { parseIcu } from '../../web/shell/messages/icu.ts'
import { optionsSchema } from '../../server/features/workflows/routes/plugin-endpoints.ts'

interface CaseBase {
  /** Options of a workflow's step; checked by the plugin's schema. Absent: the defaults. */
  options?: Record<string, unknown>
  context: WriteContext
  /**
   * Everything that the plugin may have changed outside, comparable by value: requests, stored
   * blobs, queued messages.
   */
  state(): Promise<unknown> | unknown
  close?(): Promise<void> | void
}
export interface ItemCase extends CaseBase {
  /**
   * At least two items, at least one of which the plugin changes, produces bytes for, warns about,
   * or refuses.
   */
  items: readonly Item[]
}
export interface OperationCase extends CaseBase {
  operation: OperationView
  /**
   * Messages are keyed by their content, as in the outbox: sending the same one twice has no
   * effect.
   */
  notify: Notifier
  /** Ports for documents and lists that the step produces. */
  ports?: Partial<Pick<OperationContext, 'artifacts' | 'documents' | 'listings'>>
}

interface FormSchema {
  type: string
  properties?: Record<string, { title?: string }>
}

function icuTexts({ labels, warning }: ActionView): string[] {
  const { title, button, running, done, preview, skipped, intro, note } = labels
  const texts = [
    title,
    button,
    running,
    done,
    preview,
    skipped,
    intro,
    note,
    warning?.title,
    warning?.text,
  ]
  return texts.filter((text) => typeof text === 'string')
}

const NONSENSE: readonly unknown[] = [
  { there_is_no_such_option: true },
  null,
  'text',
  7,
  ['list'],
  true,
]

/**
 * Runs the shared suite over a plugin. `makeCase` is called once for the plan tests, and for each
 * run.
 */
export function pluginSuite(plugin: ItemPlugin, makeCase: () => Promise<ItemCase>): void
export function pluginSuite(plugin: OperationPlugin, makeCase: () => Promise<OperationCase>): void
export function pluginSuite(
  plugin: Plugin,
  makeCase: () => Promise<ItemCase | OperationCase>,
): void {
  describe(`${plugin.id} as a plugin`, () => {
    // Opened once for the tests that change nothing, and again for each of the others.
    let open: ItemCase | OperationCase
    beforeAll(async () => void (open = await makeCase()))
    afterAll(() => open.close?.())

    it('has an id that begins with a verb, and a title', () => {
      expect(plugin.id).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(plugin.title).toMatch(/^[A-Z].+/)
    })
    it('has a form: every option has a JSON Schema with a title', () => {
      const { type, properties = {} } = optionsSchema(plugin.options) as unknown as FormSchema
      expect(type).toBe('object')
      for (const [name, option] of Object.entries(properties))
        expect(option.title, name).toMatch(/^[A-Z]/)
    })
    it('has entries whose texts can be formatted, over options and errors that exist', () => {
      const { properties = {} } = optionsSchema(plugin.options) as unknown as FormSchema
      const options = Object.keys(properties)
      for (const action of actionsOf(plugin)) {
        for (const text of icuTexts(action)) parseIcu(text, false)
        const known = [...Object.keys(action.preset), ...(action.fields ?? [])]
        expect(options).toEqual(expect.arrayContaining(known))
      }
      const choices = (plugin.form?.alternatives ?? []).flatMap((one) => one.choices)
      for (const { fields, set = {} } of choices)
        expect(options).toEqual(expect.arrayContaining([...fields, ...Object.keys(set)]))
      for (const code of Object.keys(adviceOf(plugin))) expect(isErrorCode(code), code).toBe(true)
    })
    it('describes in a short line what it will do', () => {
      const line = plugin.summary?.(plugin.options.parse(open.options ?? {})) ?? plugin.title
      expect(inEnglish(line)).toMatch(/^\S.{0,200}$/)
    })
    it('accepts its options and refuses invalid ones', () => {
      expect(plugin.options.safeParse(open.options ?? {}).error).toBeUndefined()
      for (const value of NONSENSE)
        expect(plugin.options.safeParse(value).success, JSON.stringify(value)).toBe(false)
    })
    if (plugin.scope === 'operation') operationPlans(plugin, () => open as OperationCase)
    else itemPlans(plugin, () => open as ItemCase)
    describe('as it runs', () => {
      let fresh: ItemCase | OperationCase
      beforeEach(async () => void (fresh = await makeCase()))
      afterEach(() => fresh.close?.())
      if (plugin.scope === 'operation') operationRuns(plugin, () => fresh as OperationCase)
      else itemRuns(plugin, () => fresh as ItemCase)
    })
  })
}

const planOf = (plugin: ItemPlugin, { items, options, context }: ItemCase) =>
  plugin.plan(items, plugin.options.parse(options ?? {}), readOnly(context))

const runOf = (plugin: ItemPlugin, on: ItemCase) =>
  plugin.run
    ? plugin.run(on.items, plugin.options.parse(on.options ?? {}), on.context)
    : planOf(plugin, on)

function itemPlans(plugin: ItemPlugin, open: () => ItemCase): void {
  const plan = (on: ItemCase) => planOf(plugin, on)
  const run = (on: ItemCase) => runOf(plugin, on)

  it('plans without side effects', async () => {
    const before = structuredClone(await open().state())
    // The engine passes its own records to plugins, so a plugin that changed them would change the
    // engine's state.
    frozen(open().items)
    expectOneEach(await Array.fromAsync(plan(open())), open().items)
    expect(await open().state()).toEqual(before)
  })
  if (!plugin.run)
    it('plans unread files as it does read ones', async () => {
      const given = open()
      let looked = false
      const unread = given.items.map(({ id, position, entry, staged, wanted }) => ({
        id,
        position,
        entry,
        staged,
        wanted,
        get file(): never {
          looked = true
          throw new Error('The file has not been read')
        },
      }))
      const outcomes = await Array.fromAsync(plan({ ...given, items: unread })).catch(() => null)
      if (outcomes && !looked)
        expect(sorted(outcomes)).toEqual(sorted(await Array.fromAsync(plan(open()))))
      else expect(looked, 'the plan fails for another reason than the unread file').toBe(true)
    })
  it('returns no outcomes for no items', async () => {
    expect(await Array.fromAsync(run({ ...open(), items: [] }))).toEqual([])
  })
  it('handles an item alone as it does among others, in any order: batches are cut anywhere', async () => {
    const together = await Array.fromAsync(plan(open()))
    const alone: Outcome[] = []
    for (const item of open().items.toReversed())
      alone.push(...(await Array.fromAsync(plan({ ...open(), items: [item] }))))
    expect(sorted(alone)).toEqual(sorted(together))
  })
  it('does nothing after an abort', async () => {
    const before = structuredClone(await open().state())
    const reason = new Error('paused')
    for (const work of [plan, run]) {
      const aborted = {
        ...open(),
        context: { ...open().context, signal: AbortSignal.abort(reason) },
      }
      await expect(Array.fromAsync(work(aborted))).rejects.toBe(reason)
    }
    expect(await open().state()).toEqual(before)
  })
}

function itemRuns(plugin: ItemPlugin, open: () => ItemCase): void {
  const run = (on: ItemCase) => runOf(plugin, on)

  it('returns exactly one outcome per item, with known codes, and changes something', async () => {
    const before = structuredClone(await open().state())
    const outcomes = await Array.fromAsync(run({ ...open(), items: frozen(open().items) }))
    expectOneEach(outcomes, open().items)
    // A wait does nothing to files: the engine ends the part of the workflow with it.
    const effect =
      'waits' in plugin ||
      outcomes.some(doesSomething) ||
      !isDeepStrictEqual(await open().state(), before)
    expect(effect, 'a case in which nothing happens shows nothing').toBe(true)
    for (const outcome of outcomes) {
      if (outcome.status === 'failed') expect(isErrorCode(outcome.code), outcome.code).toBe(true)
      if (outcome.status === 'skipped') expect(inEnglish(outcome.reason)).toMatch(/\S/)
      if (outcome.status !== 'ok') continue
      for (const { code, message } of outcome.warnings ?? [])
        expect([code, message]).not.toContain('')
    }
  })
  it('changes nothing more when it runs again', async () => {
    const first = await Array.fromAsync(run(open()))
    const after = structuredClone(await open().state())
    const second = await Array.fromAsync(run(open()))
    expect(sorted(second).map((outcome, at) => asBefore(outcome, sorted(first)[at]!))).toEqual(
      sorted(first),
    )
    expect(await open().state()).toEqual(after)
  })
  it('stops soon when aborted during the run', async () => {
    const controller = new AbortController()
    const on = { ...open(), context: { ...open().context, signal: controller.signal } }
    const reason = new Error('paused')
    const seen = async () => {
      const outcomes = run(on)[Symbol.asyncIterator]()
      await outcomes.next()
      controller.abort(reason)
      while (!(await outcomes.next()).done);
    }
    await expect(seen()).rejects.toBe(reason)
  })
}

function runOperation(plugin: OperationPlugin, on: OperationCase) {
  const { operation, options, context, notify, ports: rest } = on
  const ports = operationContext({ ...context, ...rest, notify })
  return plugin.run(operation, plugin.options.parse(options ?? {}), ports)
}

function operationPlans(plugin: OperationPlugin, open: () => OperationCase): void {
  it('plans in sentences, without side effects', async () => {
    const { operation, options, context, notify, ports, state } = open()
    const before = structuredClone(await state())
    const { listings, documents } = operationContext({ notify, ...ports })
    const read = {
      ...readOnly(context),
      listings: { size: () => listings.size() },
      documents: { connection: (id: string) => documents.connection(id) },
    }
    const sentences = await Array.fromAsync(
      plugin.plan(operation, plugin.options.parse(options ?? {}), read),
    )
    expect(sentences.length).toBeGreaterThan(0)
    for (const sentence of sentences) expect(inEnglish(sentence)).toMatch(/\S/)
    expect(await state()).toEqual(before)
  })
  it('does nothing after an abort', async () => {
    const before = structuredClone(await open().state())
    const reason = new Error('paused')
    const aborted = { ...open(), context: { ...open().context, signal: AbortSignal.abort(reason) } }
    await expect(runOperation(plugin, aborted)).rejects.toBe(reason)
    expect(await open().state()).toEqual(before)
  })
}

function operationRuns(plugin: OperationPlugin, open: () => OperationCase): void {
  it('changes something, and nothing more when it runs again', async () => {
    const before = structuredClone(await open().state())
    const first = await runOperation(plugin, open())
    const after = structuredClone(await open().state())
    expect(after, 'a case in which nothing happens shows nothing').not.toEqual(before)
    expect(await runOperation(plugin, open())).toEqual(first)
    expect(await open().state()).toEqual(after)
  })
}

/** The ports that `plan` gets: only those that read, with the others really absent. */
function readOnly({
  signal,
  shop,
  operation,
  request,
  limits,
  catalog,
  packs,
  contents,
  actions,
  ...rest
}: WriteContext): ReadContext {
  const { remote, uploads, drop, cloud, stored, delivery, licences, pastOrders, programs } = rest
  const { order, buyer, quantityOf } = delivery
  const reading = {
    remote: readerOf(remote),
    uploads: { sizeOf: uploads.sizeOf },
    drop: { sizeOf: drop.sizeOf },
    cloud: { tasksOf: cloud.tasksOf },
    stored: { locate: stored.locate },
    delivery: { order, buyer, quantityOf },
    licences: { find: licences.find },
    pastOrders: { count: pastOrders.count },
    programs: { preview: programs.preview },
  }
  return { signal, shop, operation, request, limits, catalog, packs, contents, actions, ...reading }
}

const readerOf = ({ probe, atMost, withHeaders }: RemoteReader): RemoteReader => ({
  probe,
  atMost: (count) => readerOf(atMost(count)),
  withHeaders: (headers) => readerOf(withHeaders(headers)),
})

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}

function expectOneEach(outcomes: readonly Outcome[], items: readonly Item[]): void {
  expect(outcomes.map(({ item }) => item).sort()).toEqual(items.map(({ id }) => id).sort())
}

function doesSomething(outcome: Outcome): boolean {
  if (outcome.status !== 'ok') return true
  const { change, bytes, link, buyers, give, access, created, warnings, candidates } = outcome
  const { quarantine, post } = outcome
  return (
    [change, bytes, link, buyers, give, access, quarantine, post].some(Boolean) ||
    [created, warnings, candidates].some((list) => Boolean(list?.length))
  )
}

/**
 * A result outside, with nothing for the engine to write, is not repeated: the outcome may say so.
 */
function asBefore(outcome: Outcome, before: Outcome): Outcome {
  if (!('unchanged' in outcome) || !isDeepStrictEqual(before, { item: before.item, status: 'ok' }))
    return outcome
  return isDeepStrictEqual(outcome, { ...before, unchanged: outcome.unchanged }) ? before : outcome
}

const sorted = (outcomes: readonly Outcome[]) =>
  outcomes.toSorted((a, b) => (a.item < b.item ? -1 : 1))
