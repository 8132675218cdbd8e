// Many uploads, CSV files and transfers over machines that share only a database and a bucket, with
// requests by turns; and uploads that continue at the other machine after `kill -9`.
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../drop.ts'
import { dropProcessOf } from '../drop-process.ts'
import { contentOf, hashOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startRoundRobin, type RoundRobin } from '../fakes/round-robin.ts'
import { jobUntilEnd, listAll } from '../flows/imports.ts'
import { stagedFiles, startMachines, type Machine, type Machines } from '../flows/machines.ts'
import { readDemo } from '../flows/server.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp } from '../sftp-client.ts'
import { beginUpload, offsetOf, sendFile, type Sender } from '../uploads.ts'
import { randomOf } from '../scale.ts'

const UPLOADS = 100
const CSV_FILES = 20
const TRANSFERS = 10
const KILLS = 10
/** What a client sends in one request. */
const CHUNK = 4_000_000

const random = randomOf('machines')
let machines: Machines
let webs: [Machine, Machine]
let both: RoundRobin
let sender: Sender
let origin: Origin
beforeAll(async () => {
  ;[machines, origin] = await Promise.all([startMachines(), startOrigin()])
  const first = await machines.startWeb({ drop: true })
  webs = [first, await machines.startWeb({ drop: true })]
  await machines.startWorker('third')
  both = await startRoundRobin(() => webs.map(({ server }) => server.url))
  sender = { url: both.url, key: first.server.apiKey }
})
afterAll(async () => {
  await both?.close()
  await origin?.close()
  await machines?.close()
})

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function call<T>(method: string, route: string, body?: object): Promise<T> {
  const response = await fetch(both.url + route, {
    method,
    headers: { authorization: `Bearer ${sender.key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (response.status >= 300)
    throw new Error(`${method} ${route} was answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

/** The hashes of the shop's files by name. */
async function hashes(): Promise<Map<string, string>> {
  const { rows } = await machines.pool.query<{ filename: string; hash: string }>(
    `select f.filename, encode(v.hash, 'hex') as hash from files f
     join versions v on v.shop_id = f.shop_id and v.file_id = f.id`,
  )
  return new Map(rows.map(({ filename, hash }) => [filename, hash]))
}

async function expectImported(expected: ReadonlyMap<string, Buffer>, timeout = 120_000) {
  const missing = async () => {
    const found = await hashes()
    return [...expected].filter(([name, bytes]) => found.get(name) !== hashOf(bytes)).length
  }
  await expect.poll(missing, { timeout, interval: 500 }).toBe(0)
}

test('every upload arrives whose chunks reach the machines by turns', async () => {
  const sent = new Map<string, Buffer>()
  let next = 0
  const lane = async () => {
    while (next < UPLOADS) {
      const name = `by turns ${next++}.bin`
      const bytes = contentOf(random(1, 3_000_000), name)
      sent.set(name, bytes)
      const chunkSize = random(100_000, 1_000_000)
      await sendFile(sender, bytes, { metadata: { filename: name }, chunkSize }).done
    }
  }
  await Promise.all(Array.from({ length: 4 }, lane))
  await expectImported(sent)
  say(`${sent.size} of ${UPLOADS} uploads; requests at the machines: ${both.counts.join(', ')}`)
})

test('CSV files are sent, checked and started at different machines', async () => {
  const files = Array.from({ length: CSV_FILES }, async (_, n) => {
    const rows = [0, 1, 2].map((row) => `csv ${n}-${row}.bin,${origin.url}/bytes/1000/${n}-${row}`)
    const response = await fetch(`${both.url}/api/csv?filename=list-${n}.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sender.key}`, 'content-type': 'text/csv' },
      body: `filename,file_url\n${rows.join('\n')}\n`,
    })
    const { id } = (await response.json()) as { id: string }
    await call('POST', `/api/csv/${id}/check`, { probe: false, on_conflict: 'error' })
    const status = async () => (await call<{ status: string }>('GET', `/api/csv/${id}`)).status
    await expect.poll(status, { interval: 300 }).toBe('checked')
    await call('POST', `/api/csv/${id}/start`, { only_valid: false })
  })
  await Promise.all(files)
  const imported = async () =>
    [...(await hashes()).keys()].filter((name) => name.startsWith('csv '))
  await expect.poll(async () => (await imported()).length).toBe(CSV_FILES * 3)
})

test('files sent by SFTP and FTP to either machine are imported by a third one', async () => {
  await call('PATCH', '/api/drop', { schedule: 'realtime' })
  const sent = new Map<string, Buffer>()
  for (const [at, { drop }] of webs.entries()) {
    const account = [drop!.username, drop!.password] as const
    const sftp = await openSftp(drop!.sftp_port, ...account)
    const ftp = await openFtp(drop!.ftp_port, ...account)
    for (let n = 0; n < TRANSFERS; n++) {
      const bytes = contentOf(random(1, 2_000_000), `transfer ${at}-${n}`)
      await sftp.put(`${drop!.path}sftp ${at}-${n}.bin`, bytes)
      sent.set(`sftp ${at}-${n}.bin`, bytes)
      const data = await ftp.data()
      expect(await ftp.say(`STOR ${drop!.path}ftp ${at}-${n}.bin`)).toMatch(/^150 /)
      data.end(bytes)
      expect(await ftp.reply()).toMatch(/^226 /)
      sent.set(`ftp ${at}-${n}.bin`, bytes)
    }
    sftp.end()
    ftp.socket.destroy()
  }
  await expectImported(sent, 180_000)
})

test('a killed drop server keeps what it acknowledged, and clients resume on its machine', async () => {
  await call('PATCH', '/api/drop', { schedule: 'manual' })
  const [{ drop, server, folder }] = webs
  const account = [drop!.username, drop!.password] as const
  const acknowledged = contentOf(1_500_000, 'acknowledged')
  const whole = contentOf(6_000_000, 'resumed')
  const half = 3_000_000
  const names = { sftp: `${drop!.path}resumed-sftp.bin`, ftp: `${drop!.path}resumed-ftp.bin` }
  const sftp = await openSftp(drop!.sftp_port, ...account)
  await sftp.put(`${drop!.path}acknowledged-sftp.bin`, acknowledged)
  const ftp = await openFtp(drop!.ftp_port, ...account)
  const sendFtp = async (command: string, bytes: Buffer) => {
    const data = await ftp.data()
    expect(await ftp.say(command)).toMatch(/^150 /)
    return { data, sent: new Promise<void>((resolve) => data.write(bytes, () => resolve())) }
  }
  const complete = await sendFtp(`STOR ${drop!.path}acknowledged-ftp.bin`, acknowledged)
  complete.data.end()
  expect(await ftp.reply()).toMatch(/^226 /)
  const handle = await promisify(sftp.sftp.open.bind(sftp.sftp))(names.sftp, 'w')
  for (let at = 0; at < half; at += 30_000)
    await promisify(sftp.sftp.write.bind(sftp.sftp))(handle, whole, at, 30_000, at)
  await (
    await sendFtp(`STOR ${names.ftp}`, whole.subarray(0, half))
  ).sent

  process.kill(dropProcessOf(server.child.pid!)!, 'SIGKILL')
  const restarted = async () => (await readDemo(folder)).drop.sftp_port
  await expect
    .poll(async () => (await openSftp(await restarted(), ...account).catch(() => null)) !== null)
    .toBe(true)
  const { drop: again } = await readDemo(folder)
  await writeFile(path.join(folder, 'resumed.bin'), whole)
  const lftp = (scheme: string, port: number, name: string) =>
    runProgram([
      'lftp',
      '-c',
      `set sftp:auto-confirm yes; set ssl:verify-certificate no; open ${scheme}://${account.join(':')}@127.0.0.1:${port}; ` +
        `put -c ${folder}/resumed.bin -o ${name}`,
    ])
  expect(await lftp('sftp', again.sftp_port, names.sftp)).toMatchObject({ code: 0 })
  expect(await lftp('ftp', again.ftp_port, names.ftp)).toMatchObject({ code: 0 })
  const client = await openSftp(again.sftp_port, ...account)
  for (const name of ['acknowledged-sftp.bin', 'acknowledged-ftp.bin'])
    expect((await client.get(drop!.path + name)).equals(acknowledged)).toBe(true)
  for (const name of Object.values(names)) expect((await client.get(name)).equals(whole)).toBe(true)
  client.end()
  await rm(path.join(folder, 'resumed.bin'))
  webs = [{ ...webs[0], drop: again }, webs[1]]
})

test('a received transfer is imported although its machine is gone', async () => {
  await call('PATCH', '/api/drop', { schedule: 'manual' })
  const [{ drop, server, folder }, other] = webs
  const bytes = contentOf(1_500_000, 'gone')
  const client = await openSftp(drop!.sftp_port, drop!.username, drop!.password)
  await client.put(`${drop!.path}gone.bin`, bytes)
  client.end()
  await server.kill()
  const patched = await other.server.call('PATCH', '/api/drop', { schedule: 'realtime' })
  expect(patched.status).toBe(200)
  await expectImported(new Map([['gone.bin', bytes]]))
  webs = [await machines.startWeb({ drop: true, folder }), other]
})

test('a transfer that was lost with its machine is sent again to another one', async () => {
  await call('PATCH', '/api/drop', { schedule: 'manual' })
  const [{ drop, server, folder }, other] = webs
  const account = [drop!.username, drop!.password] as const
  const whole = contentOf(3_000_000, 'lost')
  const half = 1_500_000
  const names = ['again', 'continued', 'left'].map((name) => `${drop!.path}lost ${name}.bin`)
  const [again, continued, left] = names as [string, string, string]
  const sftp = await openSftp(drop!.sftp_port, ...account)
  for (const name of names) {
    const handle = await promisify(sftp.sftp.open.bind(sftp.sftp))(name, 'w')
    for (let at = 0; at < half; at += 30_000)
      await promisify(sftp.sftp.write.bind(sftp.sftp))(handle, whole, at, 30_000, at)
  }
  const dropProcess = dropProcessOf(server.child.pid!)!
  await server.kill()
  process.kill(dropProcess, 'SIGKILL')

  // Nothing of it was confirmed: it has no bytes at the other machine, and can be sent again there.
  const client = await openSftp(other.drop!.sftp_port, ...account)
  const sizes = () => Promise.all(names.map((name) => client.size(name)))
  expect(await sizes()).toEqual([0, 0, 0])
  await client.put(again, whole)
  const local = path.join(other.folder, 'lost.bin')
  await writeFile(local, whole)
  const address = `sftp://${account.join(':')}@127.0.0.1:${other.drop!.sftp_port}`
  const lftp = await runProgram([
    'lftp',
    '-c',
    `set sftp:auto-confirm yes; open ${address}; put -c ${local} -o '${continued}'`,
  ])
  expect(lftp).toMatchObject({ code: 0 })
  await rm(local)
  // After a minute the other machine takes over what is left: the file is an interrupted one.
  const stateOf = async (name: string) => {
    const { rows } = await machines.pool.query<{ state: string }>(
      'select state from drop_entries where name = $1',
      [path.basename(name)],
    )
    return rows[0]?.state
  }
  await expect.poll(() => stateOf(left), { timeout: 180_000, interval: 1000 }).toBe('partial')
  webs = [await machines.startWeb({ drop: true, folder }), other]
  expect(await sizes()).toEqual([whole.length, whole.length, 0])
  for (const name of [again, continued]) expect((await client.get(name)).equals(whole)).toBe(true)
  for (const name of names) await client.remove(name)
  client.end()
})

test('uploads continue at the other machine after kills in the middle of a chunk', async () => {
  let again = 0
  for (let kill = 0; kill < KILLS; kill++) {
    // A whole chunk is left after the last kill: the system may have sent what one chunk has left.
    const bytes = contentOf(24_000_000, `kill ${kill}`)
    const name = `kill ${kill}.bin`
    const [{ server, folder }, other] = webs
    const at = await beginUpload({ ...sender, url: server.url }, bytes.length, { filename: name })
    const reached = random(CHUNK + 1, 19_000_000)
    const seen = { sent: 0, accepted: 0 }
    let killed: Promise<void> | undefined
    const { done } = sendFile({ ...sender, url: server.url }, bytes, {
      uploadUrl: new URL(at, server.url).href,
      chunkSize: CHUNK,
      onProgress: (sent) => {
        seen.sent = sent
        if (sent > reached) killed ??= server.kill()
      },
      onChunkComplete: (_, accepted) => void (seen.accepted = accepted),
    })
    await expect(done).rejects.toThrow()
    await killed
    const there: Sender = { ...sender, url: other.server.url }
    const kept = await offsetOf(there, at)
    expect(kept).toBeGreaterThanOrEqual(seen.accepted)
    expect(seen.sent - kept).toBeLessThanOrEqual(CHUNK)
    again += seen.sent - kept
    const uploadUrl = new URL(at, other.server.url).href
    await sendFile(there, bytes, { uploadUrl, chunkSize: CHUNK }).done
    await expectImported(new Map([[name, bytes]]))
    webs = [other, await machines.startWeb({ folder })]
  }
  say(`${KILLS} kills: ${(again / KILLS / 1e6).toFixed(1)} of 24 MB sent again on average`)
})

test('afterwards no machine has bytes of merchants on its disk', async () => {
  const [{ server }] = webs
  for (const { id } of await listAll(server, '/api/operations?limit=250'))
    await jobUntilEnd(server, id!)
  for (const { folder } of webs) expect(await stagedFiles(folder)).toEqual([])
})
