import { describe, expect, it } from 'vitest'
import { PortError, type StagedBlob } from '../contract/index.ts'
import type { Cloud, CloudTask } from './port.ts'
import { inEnglish } from '../../test/english.ts'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { syncCloud } from './plugin.ts'

const staged: StagedBlob = {
  hash: '0'.repeat(64),
  size_bytes: 5,
  location: 'primary',
  content_type: null,
}
const fetching = (path: string, pack: string | null = null): CloudTask => ({
  does: 'fetch',
  path,
  size_bytes: 5,
  pack,
})

/** A port whose provider has these tasks; `lost` fails. */
function world(tasks: Readonly<Record<string, CloudTask>>) {
  const carried: string[] = []
  const cloud: Cloud = {
    tasksOf: () => Promise.resolve(new Map(Object.entries(tasks))),
    carryOut: async function* (_, items, signal) {
      for (const { id } of items) {
        signal.throwIfAborted()
        const task = await Promise.resolve(tasks[id]!)
        const error = new PortError('cloud_file_not_found', 'It is gone', false)
        if (id === 'lost') yield { item: id, error }
        else if (id === 'same' || task.does === 'send') yield { item: id }
        else {
          if (!carried.includes(id)) carried.push(id)
          yield { item: id, bytes: staged }
        }
      }
    },
  }
  const items = [...Object.keys(tasks), 'superseded'].map((id) =>
    importItem(id, { entry: { source: { type: 'cloud', path: id } } }),
  )
  return {
    items,
    context: writeContext({ cloud, request: { sync: 'a sync' } }),
    state: () => Promise.resolve([...carried].sort()),
  }
}

pluginSuite(syncCloud, () =>
  Promise.resolve(world({ new: fetching('new'), lost: fetching('lost') })),
)

describe('sync-cloud', () => {
  const outcomesOf = async (tasks: Readonly<Record<string, CloudTask>>) => {
    const { items, context } = world(tasks)
    const outcomes = inEnglish(await Array.fromAsync(syncCloud.run!(items, {}, context)))
    return Object.fromEntries(outcomes.map(({ item, ...outcome }) => [item, outcome]))
  }

  it('foresees that an empty object, or one over the limit, fails', async () => {
    const sized = (size_bytes: number): CloudTask => ({
      does: 'fetch',
      path: 'x',
      pack: null,
      size_bytes,
    })
    const { items, context } = world({ empty: sized(0), huge: sized(6e9), unknown: sized(-1) })
    const outcomes = await Array.fromAsync(syncCloud.plan!(items, {}, context))
    expect(outcomes).toMatchObject([
      { item: 'empty', status: 'failed', code: 'empty_file' },
      { item: 'huge', status: 'failed', code: 'file_too_large' },
      { item: 'unknown', status: 'ok' },
      { item: 'superseded', status: 'skipped' },
    ])
  })

  it('returns bytes with the pack of their subfolder, or the reason for their absence', async () => {
    expect(
      await outcomesOf({
        packed: fetching('course/packed', 'course'),
        same: fetching('same'),
        lost: fetching('lost'),
      }),
    ).toEqual({
      packed: { status: 'ok', bytes: staged, change: { packs: { add: [{ name: 'course' }] } } },
      same: { status: 'skipped', reason: 'It has the same bytes here' },
      lost: {
        status: 'failed',
        code: 'cloud_file_not_found',
        message: 'It is gone',
        retryable: false,
      },
      superseded: {
        status: 'skipped',
        reason: expect.stringContaining('was synced again'),
      },
    })
  })
  it('decides about files that exist', async () => {
    const { context } = world({ moved: { does: 'change' } })
    const wanted = { set: { filename: 'b.pdf' } }
    const item = { ...importItem('moved'), entry: null, wanted }
    expect(await Array.fromAsync(syncCloud.run!([item], {}, context))).toEqual([
      { item: 'moved', status: 'ok', last: true, change: wanted },
    ])
  })
})
