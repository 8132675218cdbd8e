// A table of 5,000 addresses imported twice from a real nginx: the second run fetches no byte, makes no
// version, and is faster.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { untilEnded, untilOperation } from '../app.ts'
import { openCsvApp, type CsvApp } from '../csv.ts'
import { contentOf } from '../fakes/content.ts'
import { freePort } from '../flows/server.ts'
import { findNginx, runNginx, type Nginx } from '../nginx.ts'

const ROWS = 5000
const PART = 250
const BYTES = 100_000

let app: CsvApp
let worker: EngineWorker
let nginx: Nginx
let folder: string
beforeAll(async () => {
  app = await openCsvApp()
  worker = await app.engine.startWorker()
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-table-'))
  await mkdir(path.join(folder, 'files'))
  for (let row = 0; row < ROWS; row += 1)
    await writeFile(path.join(folder, 'files', `${row}.bin`), contentOf(BYTES, `row ${row}`))
  const port = await freePort()
  const text = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; user root;
    events {}
    http { log_format sent '$status $body_bytes_sent'; access_log ${folder}/access.log sent;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      keepalive_requests 100000;
      server { listen 127.0.0.1:${port}; root ${folder}/files; } }`
  nginx = await runNginx({ nginx: findNginx()!, folder }, text, port)
})
afterAll(async () => {
  await worker.stop()
  await nginx.stop()
  await app.close()
  await rm(folder, { recursive: true })
})

/** Imports the table; its seconds, and what nginx sent since the beginning. */
async function run() {
  const rows = Array.from(
    { length: ROWS },
    (_, row) => `${row}.bin,http://127.0.0.1:${nginx.port}/${row}.bin`,
  )
  const id = await app.uploaded(`filename,file_url\n${rows.join('\n')}\n`)
  await app.checked(id, { probe: false, on_conflict: 'new_version' })
  const began = performance.now()
  const { body } = await app.owner.call('POST', `/api/csv/${id}/start`, {})
  // Each wait is for a part: all of them are too long for one.
  for (let done = PART; done <= ROWS; done += PART)
    await untilOperation(app.owner, body.job_id, `done + failed + skipped >= ${done}`)
  const operation = await untilEnded(app.owner, body.job_id)
  const seconds = (performance.now() - began) / 1000
  const log = await readFile(path.join(folder, 'access.log'), 'utf8')
  const sent = log
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
  return {
    operation,
    seconds,
    bytes: sent.reduce((sum, [, bytes]) => sum + bytes!, 0),
    requests: sent.length,
  }
}

test('the second run of the same table', async () => {
  const first = await run()
  expect(first.operation).toMatchObject({ status: 'success', done: ROWS, unchanged: 0 })
  expect(first.bytes).toBe(ROWS * BYTES)
  const second = await run()
  expect(second.operation).toMatchObject({ status: 'success', done: ROWS, unchanged: ROWS })
  expect(second).toMatchObject({ bytes: first.bytes, requests: 2 * ROWS })
  const { versions } = await app.owner.scope.one<{ versions: number }>(
    'select count(*) as versions from versions where shop_id = :shop',
  )
  expect(versions).toBe(ROWS)
  expect(second.seconds).toBeLessThan(first.seconds)
})
