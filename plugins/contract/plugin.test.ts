import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { writeContext } from '../../test/fakes/context.ts'
import { concurrently, definePlugin } from './index.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))
const signal = new AbortController().signal
const items = Array.from({ length: 50 }, (_, n) => n)

it('yields every result, even if the consumer is slow', async () => {
  const seen: number[] = []
  for await (const result of concurrently(items, 4, signal, async (item) => item)) {
    // All started work has ended.
    await turn()
    seen.push(result)
  }
  expect(seen.sort((a, b) => a - b)).toEqual(items)
})
it('starts nothing more after an error or an abort, and throws it', async () => {
  const fault = new Error('broken')
  const controller = new AbortController()
  const started: number[] = []
  const failing = concurrently(items, 2, signal, async (item) => {
    started.push(item)
    if (item === 3) throw fault
    await turn()
    return item
  })
  await expect(Array.fromAsync(failing)).rejects.toBe(fault)
  expect(started.length).toBeLessThan(10)
  const aborted = concurrently(items, 2, controller.signal, async (item) => {
    if (item === 3) controller.abort(fault)
    return item
  })
  await expect(Array.fromAsync(aborted)).rejects.toBe(fault)
})

it('passes a plugin the ports that it declares, and no others', async () => {
  const seen: string[][] = []
  const plugin = definePlugin({
    id: 'look-around',
    kind: 'act',
    title: 'Look around',
    options: z.strictObject({}),
    undo: 'none',
    needs: ['packs'],
    async *plan(_items, _options, context) {
      seen.push(Object.keys(context).sort())
    },
    async *run(_items, _options, context) {
      seen.push(Object.keys(context).sort())
      // @ts-expect-error It is not among its needs.
      expect(context.stage).toBeUndefined()
    },
  })
  await Array.fromAsync(plugin.plan([], {}, writeContext()))
  await Array.fromAsync(plugin.run!([], {}, writeContext()))
  const given = ['limits', 'operation', 'packs', 'request', 'shop', 'signal']
  expect(seen).toEqual([given, given])
})
it('reads no port that a plugin does not need: ports are made when they are read', async () => {
  const plugin = definePlugin({
    id: 'look-around',
    kind: 'act',
    title: 'Look around',
    options: z.strictObject({}),
    undo: 'none',
    needs: ['packs', 'delivery'],
    async *plan(_items, _options, context) {
      expect(Object.keys(context)).not.toContain('delivery')
      yield* []
    },
  })
  const read = vi.fn<() => never>(() => expect.fail('it was read'))
  const context = Object.defineProperty(writeContext(), 'stage', { get: read, enumerable: true })
  delete (context as { delivery?: unknown }).delivery
  await Array.fromAsync(plugin.plan([], {}, context))
  expect(read).not.toHaveBeenCalled()
})
