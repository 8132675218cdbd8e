// A CSV file from its upload to files in the shop, on the product as a separate process, which is
// killed in the middle of the check.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { WAIT_MS } from '../wait.ts'
import { jobUntilEnd, listAll } from './imports.ts'
import { makeDataDir, removeDataDir, SECRET, startServer, type ServerProcess } from './server.ts'

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
let origin: Origin
let server: ServerProcess
beforeAll(async () => {
  dataDir = await makeDataDir()
  origin = await startOrigin()
  database = await createTestDatabase()
  server = await start()
})
afterAll(async () => {
  await server.stop()
  await origin.close()
  await database.drop()
  await removeDataDir(dataDir)
})

const start = () =>
  startServer({ dataDir, env: { DATABASE_URL: database.url, APP_SECRET: SECRET } })

interface CsvFile {
  id: string
  status: string
  check: { phase: string; error_rows: number; import_rows: number; urls: number } | null
}

async function upload(text: string): Promise<CsvFile> {
  const response = await fetch(`${server.url}/api/csv?filename=books.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'text/csv' },
    body: text,
  })
  expect(response.status).toBe(201)
  return (await response.json()) as CsvFile
}

async function until(id: string, is: (file: CsvFile) => boolean): Promise<CsvFile> {
  const end = Date.now() + WAIT_MS
  while (true) {
    const file = (await (await server.call('GET', `/api/csv/${id}`)).json()) as CsvFile
    if (is(file)) return file
    if (Date.now() > end)
      throw new Error(
        `The check did not reach the expected state: ${JSON.stringify(file)}\n${server.output()}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

it('is checked in spite of a killed server, and its valid rows are imported', async () => {
  const good = Array.from(
    { length: 300 },
    (_, n) => `book ${n}.pdf;${origin.url}/bytes/1000/b${n};${n % 30};"spring; n-${n % 3}"`,
  )
  const file = await upload(
    `filename;file_url;download_limit;tags\r\n${[...good, `gone.pdf;${origin.url}/status/404;;`].join('\r\n')}`,
  )
  expect((await server.call('POST', `/api/csv/${file.id}/check`, {})).status).toBe(202)
  await until(file.id, ({ check }) => check?.phase === 'urls' || check?.phase === 'done')
  await server.kill()
  server = await start()
  const checked = await until(file.id, ({ status }) => status === 'checked')
  // Errors: a limit of 0 is invalid, and one URL does not answer.
  expect(checked.check).toMatchObject({ phase: 'done', error_rows: 11, import_rows: 290 })
  expect((await server.call('POST', `/api/csv/${file.id}/start`, {})).status).toBe(409)
  const started = await server.call('POST', `/api/csv/${file.id}/start`, {
    only_valid: true,
    notify: false,
  })
  const job = (await started.json()) as { id: string; total: number }
  expect([started.status, job.total]).toEqual([202, 290])
  expect(await jobUntilEnd(server, job.id)).toMatchObject({ status: 'success', done: 290 })
  const files = await listAll(server, '/api/files?search=book%20&limit=250')
  expect(files.length).toBe(290)
  expect(files.find(({ filename }) => filename === 'book 7.pdf')).toMatchObject({
    download_limit: 7,
    tags: ['spring', 'n-1'],
  })
  const errors = await (await server.call('GET', `/api/csv/${file.id}/errors.csv`)).text()
  expect(errors).toContain('File URL not accessible (The server answered 404: file not found)')
})
