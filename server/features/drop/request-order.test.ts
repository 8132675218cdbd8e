import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRequestOrder } from './sftp-replies.ts'

it('requests that change names run alone, others beside each other', async () => {
  const order = createRequestOrder()
  const log: string[] = []
  const gates = new Map<string, () => void>()
  const work = (name: string) => async () => {
    log.push(`${name} begins`)
    await new Promise<void>((resolve) => gates.set(name, resolve))
    log.push(`${name} ends`)
    if (name === 'mkdir') throw new Error('exists')
  }
  const all = [
    order.beside(work('stat')),
    order.beside(work('open')),
    order.alone(work('mkdir')),
    order.alone(work('mkdir inside')),
    order.beside(work('open inside')),
    order.beside(work('stat inside')),
  ]
  const end = async (name: string) => {
    await setImmediate()
    gates.get(name)!()
    await setImmediate()
  }
  for (const name of ['open', 'stat', 'mkdir', 'mkdir inside', 'stat inside', 'open inside'])
    await end(name)
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
  expect(log).toEqual([
    'stat begins',
    'open begins',
    'open ends',
    'stat ends',
    'mkdir begins',
    'mkdir ends',
    'mkdir inside begins',
    'mkdir inside ends',
    'open inside begins',
    'stat inside begins',
    'stat inside ends',
    'open inside ends',
  ])
})
