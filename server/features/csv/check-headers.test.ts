// Headers of the requests for the files of a table: for the check and for the import, sealed, and never for
// another host.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilEnded } from '../../../test/app.ts'
import { openCsvApp, type CsvApp } from '../../../test/csv.ts'
import type { EngineWorker } from '../../engine/worker.ts'

const SECRET = 'Bearer t0p-s3cret'

let app: CsvApp
let worker: EngineWorker
let other: Server
let origin: Server
const asked: [host: string, authorization: string | undefined][] = []
const note = (host: string, { headers }: IncomingMessage) =>
  asked.push([host, headers.authorization])
const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
let port: number
beforeAll(async () => {
  app = await openCsvApp({})
  worker = await app.engine.startWorker()
  other = createServer((request, response) => {
    note('other', request)
    response.end('moved bytes')
  })
  const elsewhere = await listening(other)
  origin = createServer((request, response) => {
    note('own', request)
    if (request.headers.authorization !== SECRET) response.writeHead(401).end()
    else if (request.url === '/moved.txt')
      response.writeHead(302, { location: `http://localhost:${elsewhere}/moved.txt` }).end()
    else response.end('bytes')
  })
  port = await listening(origin)
})
afterAll(async () => {
  await worker.stop()
  for (const server of [origin, other]) {
    server.closeAllConnections()
    server.close()
  }
  await app.close()
})

const call = (...request: Parameters<CsvApp['owner']['call']>) => app.owner.call(...request)

test('the check and the import of a table send its headers, to no other host', async () => {
  const at = `http://127.0.0.1:${port}`
  const id = await app.uploaded(
    `filename,file_url\nown.txt,${at}/own.txt\nmoved.txt,${at}/moved.txt\n`,
  )
  const wrong = await call('POST', `/api/csv/${id}/check`, { headers: { Host: 'x' } })
  expect(wrong.body.error.details[0]).toMatchObject({ code: 'invalid_header' })
  expect((await app.checked(id, { probe: true })).check).toMatchObject({ has_headers: false })
  expect(await app.problems(id)).toHaveLength(2)

  const checked = await app.checked(id, { probe: true, headers: { Authorization: SECRET } })
  expect(checked.check).toMatchObject({ has_headers: true, error_rows: 0 })
  // They stay for the next check.
  expect((await app.checked(id, { probe: true })).check).toMatchObject({ error_rows: 0 })
  const { body } = await call('POST', `/api/csv/${id}/start`, {})
  const operation = await untilEnded(app.owner, body.job_id)
  expect(operation).toMatchObject({ status: 'success', done: 2 })

  expect(asked.filter(([host]) => host === 'other').length).toBeGreaterThan(0)
  expect(asked.filter(([host, sent]) => host === 'other' && sent !== undefined)).toEqual([])
  const rows = await app.owner.scope.query(
    `select check_options::text as kept from csv_uploads where shop_id = :shop
     union all select entry::text from items where shop_id = :shop`,
  )
  expect(JSON.stringify([checked, operation, rows])).not.toContain('t0p-s3cret')
  const { check } = await app.checked(
    await app.uploaded(`filename,file_url\nx.txt,${at}/x.txt\n`),
    { probe: true, headers: {} },
  )
  expect(check).toMatchObject({ has_headers: false, error_rows: 1 })
})
