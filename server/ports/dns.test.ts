import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { askServers } from './addresses.ts'

const NAMES = 20

/** Look-ups at a name server that answers nothing, each asked for both kinds of addresses. */
async function lookUpsInVain() {
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
  const waiting = Array.from({ length: NAMES }, (_, at) =>
    lookUp(`shop-${at}.example.com`).finally(() => (ended += 1)),
  )
  await expect.poll(() => asked).toBeGreaterThanOrEqual(2 * NAMES)
  return { lookUp, waiting, ended: () => ended }
}

it('a silent name server delays no other name', async () => {
  const { lookUp, ended } = await lookUpsInVain()
  expect(['127.0.0.1', '::1']).toContain(await lookUp('localhost'))
  expect(ended()).toBe(0)
})

soakTest('a silent name server is given up', async () => {
  const { waiting } = await lookUpsInVain()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ETIMEOUT']))
})
