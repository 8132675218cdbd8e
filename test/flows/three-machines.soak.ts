// Two machines for the web and the drop server, and a third one for the worker. Each has its own
// data folder; they share a database and a bucket. Each request may reach another machine.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentOf, hashOf } from '../fakes/content.ts'
import { startOrigin } from '../fakes/origin.ts'
import { startRoundRobin, type RoundRobin } from '../fakes/round-robin.ts'
import { openSftp } from '../sftp-client.ts'
import { beginUpload, offsetOf, patch, sendFile, tus, type Sender } from '../uploads.ts'
import { jobUntilEnd, listAll } from './imports.ts'
import { stagedFiles, startMachines, type Machine, type Machines } from './machines.ts'

let machines: Machines
let first: Machine
let second: Machine
let folders: string[]
let both: RoundRobin
let sender: Sender
beforeAll(async () => {
  machines = await startMachines()
  first = await machines.startWeb({ drop: true })
  const [other, worker] = await Promise.all([
    machines.startWeb({ drop: true }),
    machines.startWorker('third'),
  ])
  second = other
  folders = [first.folder, second.folder, worker.folder]
  both = await startRoundRobin(() => [first.server.url, second.server.url])
  sender = { url: both.url, key: first.server.apiKey }
})
afterAll(async () => {
  await both?.close()
  await machines?.close()
})

const call = async (method: string, route: string, body?: object) => {
  const response = await fetch(both.url + route, {
    method,
    headers: { authorization: `Bearer ${sender.key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const reply = (await response.json()) as { status: string; check: { error_rows: number } | null }
  return { status: response.status, body: reply }
}
/** The file of this name, once it is imported. */
async function imported(filename: string) {
  const found = async () => {
    const files = await listAll(second.server, '/api/files?limit=100')
    return files.find((file) => file.filename === filename)
  }
  await expect.poll(found, { interval: 100 }).toBeDefined()
  return (await found())!
}
async function expectBytes(filename: string, bytes: Buffer): Promise<void> {
  const { id } = await imported(filename)
  const content = await first.server.call('GET', `/api/files/${id}/content`)
  expect(hashOf(Buffer.from(await content.arrayBuffer()))).toBe(hashOf(bytes))
}
const piecesOf = async (at: string) => {
  const id = at.split('_').at(-1)
  const { rows } = await machines.pool.query<{ size: number }>(
    `select size_bytes::int as size from upload_pieces
     where upload_id::text = regexp_replace($1, '(.{8})(.{4})(.{4})(.{4})(.*)', '\\1-\\2-\\3-\\4-\\5')
     order by first_byte`,
    [id],
  )
  return rows.map(({ size }) => size)
}

test('the chunks of an upload arrive at both machines, and a third one imports it', async () => {
  const bytes = contentOf(1_050_000, 'alternating')
  const at = await sendFile(sender, bytes, {
    metadata: { filename: 'alternating.bin' },
    chunkSize: 100_000,
  }).done
  expect(both.counts.every((count) => count >= 5)).toBe(true)
  expect(await piecesOf(at)).toHaveLength(11)
  await expectBytes('alternating.bin', bytes)
  // A long body is several pieces, and each one counts when it is stored.
  const long = contentOf(20_000_000, 'long')
  const other = await sendFile(sender, long, { metadata: { filename: 'long.bin' } }).done
  expect((await piecesOf(other)).length).toBeGreaterThan(2)
  await expectBytes('long.bin', long)
})

test('of two machines that receive the same bytes at the same time, one stores them', async () => {
  const bytes = contentOf(300_000, 'same')
  for (let round = 0; round < 5; round++) {
    const at = await beginUpload(sender, bytes.length, { filename: `same ${round}.bin` })
    const half = bytes.subarray(0, 150_000)
    const answers = [first, second].map(({ server: { url } }) =>
      patch({ ...sender, url }, new URL(at, url).href, 0, half),
    )
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([204, 409])
    expect(await offsetOf(sender, at)).toBe(150_000)
    expect((await patch(sender, at, 150_000, bytes.subarray(150_000))).status).toBe(204)
    await expectBytes(`same ${round}.bin`, bytes)
  }
})

test('checksums, wrong lengths and cancelling leave nothing that counts', async () => {
  const at = await beginUpload(sender, 100, { filename: 'odd.bin' })
  const wrong = { 'upload-checksum': `sha1 ${Buffer.alloc(20).toString('base64')}` }
  expect((await patch(sender, at, 0, Buffer.alloc(60), wrong)).status).toBe(460)
  expect(await offsetOf(sender, at)).toBe(0)
  expect((await patch(sender, at, 0, Buffer.alloc(60))).status).toBe(204)
  expect((await patch(sender, at, 60, Buffer.alloc(60))).status).toBe(413)
  expect(await offsetOf(sender, at)).toBe(60)
  const objects = async () =>
    (await machines.bucket.contents()).filter((key) => key.includes('files/uploads/'))
  const before = await objects()
  expect((await tus(sender, 'DELETE', at)).status).toBe(204)
  expect((await tus(sender, 'HEAD', at)).status).toBe(404)
  expect((await objects()).length).toBe(before.length - 1)
})

test('a CSV file is sent, checked, corrected and started at different machines', async () => {
  const origin = await startOrigin()
  try {
    const text = `filename,file_url\ngood.bin,${origin.url}/bytes/1000/1\nbad.bin,${origin.url.replace('http', 'nothing')}/x\n`
    const sent = await fetch(`${both.url}/api/csv?filename=list.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sender.key}`, 'content-type': 'text/csv' },
      body: text,
    })
    const { id } = (await sent.json()) as { id: string }
    const until = async (status: string) =>
      expect.poll(async () => (await call('GET', `/api/csv/${id}`)).body.status).toBe(status)
    await call('POST', `/api/csv/${id}/check`, { probe: false, on_conflict: 'error' })
    await until('checked')
    const values = { file_url: `${origin.url}/bytes/2000/2` }
    await call('PATCH', `/api/csv/${id}/rows`, { rows: [{ row: 3, values }] })
    await expect
      .poll(async () => (await call('GET', `/api/csv/${id}`)).body.check?.error_rows)
      .toBe(0)
    const started = await call('POST', `/api/csv/${id}/start`, { only_valid: false })
    expect(started.status).toBe(202)
    for (const name of ['good.bin', 'bad.bin']) await imported(name)
  } finally {
    await origin.close()
  }
})

test('files sent to the drop server of either machine are imported by the third', async () => {
  await call('PATCH', '/api/drop', { schedule: 'realtime' })
  for (const [n, { drop }] of [first, second].entries()) {
    const client = await openSftp(drop!.sftp_port, drop!.username, drop!.password)
    const bytes = contentOf(700_000, `drop ${n}`)
    await client.put(`${drop!.path}machine ${n}.bin`, bytes)
    client.end()
    await expectBytes(`machine ${n}.bin`, bytes)
  }
})

test('no machine has bytes of merchants on its disk', async () => {
  for (const { id } of await listAll(second.server, '/api/operations?limit=100'))
    await jobUntilEnd(second.server, id!)
  for (const folder of folders) expect(await stagedFiles(folder)).toEqual([])
})

test('what is in their data folders is in the list for operators', async () => {
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/operators.md'), 'utf8')
  const [, rest = ''] = page.split("#### What remains on a machine's disk\n")
  const [table] = rest.split('\n#') as [string]
  const names = (await Promise.all(folders.map((folder) => readdir(folder)))).flat()
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([])
})
