import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { openDepot, type Depot } from '../../../test/delivery.ts'
import { startS3, type FakeS3 } from '../../../test/fakes/s3.ts'
import { createS3Store } from '../../core/store/s3.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let s3: FakeS3
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  s3 = await startS3()
})
afterAll(async () => {
  await depot.close()
  await s3.close()
  await database.drop()
})

test.each([1000, 700_000])(
  'a client that leaves while the bucket is silent is not charged: %i bytes',
  async (size) => {
    const bytes = randomBytes(size)
    const bucket = createS3Store(s3.location())
    await depot.serve({ stores: new Map([['primary', bucket]]) })
    const delivery = depot.lastDelivery()
    const { key, id } = await depot.addLink(bytes, { download_limit: 1 })
    await bucket.write(depot.shop, [bytes] as never)
    const [asked, left, goesOn] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [
      PromiseWithResolvers<void>,
      PromiseWithResolvers<void>,
      PromiseWithResolvers<void>,
    ]
    const handled = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      response.once('close', left.resolve)
      void delivery.handle(request, response).then(handled.resolve)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    s3.intercept = async () => {
      asked.resolve()
      await goesOn.promise
      return null
    }
    const leaving = new AbortController()
    const { port } = server.address() as AddressInfo
    const request = fetch(`http://127.0.0.1:${port}/download?key=${key}`, {
      signal: leaving.signal,
    }).catch(() => {})
    await asked.promise
    expect((await depot.downloads(id)).downloads).toBe(1)
    leaving.abort()
    await left.promise
    goesOn.resolve()
    await Promise.all([handled.promise, request])
    expect((await depot.downloads(id)).downloads).toBe(0)
    await new Promise((resolve) => server.close(resolve))
  },
)
