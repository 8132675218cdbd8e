import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { createMemoryBudget, createReceiver } from './receiver.ts'

test('above the limit, the buffers that were used longest ago are given away', () => {
  const spilled: string[] = []
  const budget = createMemoryBudget(10)
  const holder = (name: string) => ({
    spill: () => {
      spilled.push(name)
      budget.used(holders[name]!, 0)
    },
  })
  const holders: Record<string, ReturnType<typeof holder>> = {}
  for (const name of ['a', 'b', 'c', 'd']) holders[name] = holder(name)
  for (const name of ['a', 'b', 'c']) budget.used(holders[name]!, 3)
  budget.used(holders.a!, 4)
  expect([spilled, budget.held()]).toEqual([[], 10])
  budget.used(holders.d!, 5)
  expect([spilled, budget.held()]).toEqual([['b', 'c'], 9])
})

soakTest(
  'files that wait in memory go to the disk when others need the memory, unchanged',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-memory-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const bytes = Buffer.alloc(250_000, 'x')
    const receivers = Array.from({ length: 300 }, (_, n) =>
      createReceiver(path.join(folder, String(n))),
    )
    for (const receiver of receivers) await receiver.write(0, bytes)
    expect(receivers[0]!.inMemory()).toBe(false)
    expect(receivers.at(-1)!.inMemory()).toBe(true)
    await receivers[0]!.write(bytes.length, bytes)
    expect(await receivers[0]!.finish()).toMatchObject({ size: 500_000, whole: true, bytes: null })
    expect(await readFile(path.join(folder, '0'))).toEqual(Buffer.concat([bytes, bytes]))
    expect((await receivers.at(-1)!.finish()).bytes).toEqual(bytes)
    for (const receiver of receivers) await receiver.discard()
  },
)
