import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { askServers } from './addresses.ts'

it('a silent name server delays no other name', async () => {
  const silent = createSocket('udp4')
  onTestFinished(() => void silent.close())
  let asked = 0
  silent.on('message', () => (asked += 1))
  silent.bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const resolve = askServers([`127.0.0.1:${silent.address().port}`])
  const lookUp = (name: string) =>
    new Promise<string>((done) =>
      resolve(name, (error, addresses) => done(error?.code ?? addresses[0]!.address)),
    )
  let ended = 0
  const waiting = Array.from({ length: 20 }, (_, at) =>
    lookUp(`shop-${at}.example.com`).finally(() => (ended += 1)),
  )
  await expect.poll(() => asked).toBeGreaterThanOrEqual(40)
  expect(['127.0.0.1', '::1']).toContain(await lookUp('localhost'))
  expect(ended).toBe(0)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ETIMEOUT']))
})
