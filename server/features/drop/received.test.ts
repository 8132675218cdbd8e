import { expect, it } from 'vitest'
import { createReceived } from './received.ts'

it('keeps a file for ten minutes, per shop, until it is forgotten', () => {
  let now = 0
  const received = createReceived(() => now)
  const file = { size: 5, modified: new Date(0) }
  received.add(1, '/uploads/1/a.pdf', file)
  expect(received.find(1, '/uploads/1/a.pdf')).toMatchObject(file)
  expect(received.find(2, '/uploads/1/a.pdf')).toBeNull()
  now = 10 * 60_000
  expect(received.find(1, '/uploads/1/a.pdf')).toMatchObject(file)
  now += 1
  expect(received.find(1, '/uploads/1/a.pdf')).toBeNull()
  received.add(1, 'b', file)
  received.forget(1, 'b')
  expect(received.find(1, 'b')).toBeNull()
  received.add(1, 'b', file)
  received.move(1, 'b', 'c')
  expect([received.find(1, 'b'), received.find(1, 'c')?.size]).toEqual([null, 5])
  received.move(1, 'b', 'c')
  expect(received.find(1, 'c')).toBeNull()
})

it('keeps ten thousand files at most, the newest', () => {
  const received = createReceived(() => 0)
  for (let n = 0; n < 10_001; n++) received.add(1, String(n), { size: n, modified: new Date(0) })
  expect(received.find(1, '0')).toBeNull()
  expect(received.find(1, '1')?.size).toBe(1)
  expect(received.find(1, '10000')?.size).toBe(10_000)
})
