// ACCESS_LOG: a JSON line for each request, without anything that opens a file.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from './imports.ts'
import { removeDataDir, startServer, type ServerProcess } from './server.ts'

let server: ServerProcess
let origin: Origin
beforeAll(async () => {
  ;[server, origin] = await Promise.all([
    startServer({ env: { ACCESS_LOG: '1', LOG_LEVEL: 'error' } }),
    startOrigin(),
  ])
})
afterAll(async () => {
  await server.stop()
  await origin.close()
  await removeDataDir(server.dataDir)
})

interface Line {
  message: string
  method: string
  route: string
  status: number
  bytes: number
  ms: number
  complete: boolean
  request_id: string
}

const lines = (): Line[] =>
  server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
    .filter(({ message }) => message === 'request')

test('each request has a line with its route; keys and names of files are in none', async () => {
  const { files } = await importUntilEnd(server, {
    files: [{ filename: 'Secret plan.epub', url: `${origin.url}/bytes/3000/book?token=canary` }],
  })
  const file = String(files[0]?.file_id)
  const made = await server.call('POST', '/api/links', { file_ids: [file], download_limit: null })
  const { data } = (await made.json()) as { data: { url: string }[] }
  const address = String(data[0]?.url)
  const key = String(new URL(address).searchParams.get('key'))
  await (await fetch(address)).arrayBuffer()
  await fetch(`${server.url}/download?key=${'A'.repeat(43)}`)
  const licence = { key: 'LICENCE-OF-A-BUYER', instance: 'reading-room' }
  await server.call('POST', '/licences/verify', licence)
  const { headers } = await server.call('GET', `/api/files/${file}`)
  await fetch(`${server.url}/no/such/page?key=${key}`)
  const find = (route: string, status: number) =>
    lines().find((line) => line.route === route && line.status === status)
  await expect.poll(() => find('page', 200) ?? find('page', 404)).toBeDefined()

  expect(find('/download', 200)).toMatchObject({ method: 'GET', complete: true })
  expect(find('/download', 200)?.bytes).toBeGreaterThan(3000)
  expect(find('/download', 404)).toMatchObject({ complete: true })
  expect(find('/licences/verify', 200)).toMatchObject({ method: 'POST' })
  expect(find('/api/files/:id', 200)).toMatchObject({
    method: 'GET',
    request_id: headers.get('x-request-id'),
  })
  for (const line of lines()) {
    expect(Object.keys(line).sort()).toEqual([
      'bytes',
      'complete',
      'level',
      'message',
      'method',
      'ms',
      'request_id',
      'route',
      'status',
      'time',
    ])
    expect(line.ms).toBeGreaterThan(0)
  }
  for (const secret of [
    key,
    server.apiKey,
    file,
    'Secret plan',
    'canary',
    licence.key,
    licence.instance,
  ])
    expect(
      lines()
        .map((line) => JSON.stringify(line))
        .join('\n'),
    ).not.toContain(secret)
})
