import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  definePlugin,
  type FileChange,
  type Item,
  type Outcome,
  type ReadContext,
} from '../../plugins/contract/index.ts'
import type { ResolvedStep } from './types.ts'
import { combineChanges, planUnread } from './plan.ts'

const read = { signal: new AbortController().signal } as ReadContext
const items = [0, 1, 2]

function stepOf(outcome: (item: Item) => Outcome, more: Partial<ResolvedStep> = {}) {
  const plugin = definePlugin({
    id: 'act',
    kind: 'act',
    title: 'Act',
    options: z.unknown(),
    undo: 'fields',
    async *plan(given: readonly Item[]) {
      for (const item of given) yield outcome(item)
    },
  })
  return {
    id: 'act',
    plugin: 'act',
    parsedOptions: null,
    pluginImpl: plugin,
    ...more,
  } as Parameters<typeof planUnread>[0][number]
}
const changing = (change: FileChange) =>
  stepOf((item) => ({ item: item.id, status: 'ok', change: structuredClone(change) }))
const changeBy = async (...steps: ReturnType<typeof stepOf>[]) =>
  (await planUnread(steps, items, read)).change

test('equal changes of every file are one, and those of several steps are combined', async () => {
  const tags = changing({ tags: { add: ['a'] } })
  expect(await changeBy(tags)).toEqual({ tags: { add: ['a'] } })
  expect(await changeBy(tags, changing({ tags: { add: ['b'] }, set: { cdn: true } }))).toEqual({
    tags: { add: ['a', 'b'] },
    set: { cdn: true },
  })
})

test('a change that depends on the file is not shared: by its position, a condition, or its fields', async () => {
  const numbered = stepOf(({ id, position }) => ({
    item: id,
    status: 'ok',
    change: { set: { expiry_days: position } },
  }))
  expect(await changeBy(numbered)).toBeNull()
  expect(await changeBy({ ...changing({ deleted: true }), when: { mapped: true } })).toBeNull()
  const looking = stepOf(({ id, file }) => ({
    item: id,
    status: 'ok',
    change: { tags: { add: [file.filename] } },
  }))
  expect(await planUnread([looking], items, read)).toEqual({ recorded: [], change: null })
})

test('a plan that catches the error of an unread file still counts as one that needs it', async () => {
  const hiding = stepOf((item) => {
    try {
      return { item: item.id, status: 'ok', change: { tags: { add: [item.file.filename] } } }
    } catch {
      return { item: item.id, status: 'ok', change: { tags: { add: ['none'] } } }
    }
  })
  expect(await planUnread([hiding], items, read)).toEqual({ recorded: [], change: null })
})

test('outcomes of steps that read no files are kept, up to the one that refuses an item', async () => {
  const refusing = stepOf(({ id, position }) =>
    position === 1 ? { item: id, status: 'skipped', reason: 'odd' } : { item: id, status: 'ok' },
  )
  const { recorded, change } = await planUnread(
    [refusing, changing({ deleted: true })],
    items,
    read,
  )
  expect([recorded.length, change]).toEqual([1, null])
  expect([...recorded[0]!.values()].map(({ status }) => status)).toEqual(['ok', 'skipped', 'ok'])
})

test('adding some tags and removing others is not one change, but replacing them is', () => {
  expect(combineChanges({ tags: { add: ['a'] } }, { tags: { remove: ['b'] } })).toBeNull()
  expect(combineChanges({ tags: { replace: ['a', 'b'] } }, { tags: { remove: ['b'] } })).toEqual({
    tags: { replace: ['a'] },
  })
  expect(combineChanges({ tags: { add: ['a'] } }, { tags: { replace: ['c'] } })).toEqual({
    tags: { replace: ['c'] },
  })
  expect(combineChanges({ deleted: true }, { mappings: { remove: 'all' } })).toBeNull()
})
