// The drop process under all attacks on its memory together, while another client is served.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attackDrop } from '../drop-attacks.ts'
import { dropProcessOf } from '../drop-process.ts'
import { startServer, type ServerProcess } from '../flows/server.ts'
import { openSftp } from '../sftp-client.ts'

const MAX_GROWTH_MB = 150

let server: ServerProcess
beforeAll(async () => {
  server = await startServer({ drop: true })
}, 120_000)
afterAll(() => server.stop())

test('its memory stays within bounds, and others are served', async () => {
  const { drop } = JSON.parse(await readFile(path.join(server.dataDir, 'demo.json'), 'utf8')) as {
    drop: { sftp_port: number; ftp_port: number; username: string; password: string; path: string }
  }
  await server.call('PATCH', '/api/drop', { schedule: 'manual' })
  const other = await server.call('POST', '/api/drop/accounts', { name: 'Other' })
  const { username, password } = (await other.json()) as { username: string; password: string }
  const pid = dropProcessOf(server.child.pid!)!
  const resident = async () =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  const signIn = () => openSftp(drop.sftp_port, username, password)
  const client = await signIn()
  const idle = await resident()
  let most = 0
  const waits: number[] = []
  const target = {
    ...{ sftpPort: drop.sftp_port, ftpPort: drop.ftp_port, folder: drop.path },
    ...{ username: drop.username, password: drop.password },
  }
  await attackDrop(target, async () => {
    most = Math.max(most, await resident())
    const began = performance.now()
    await client.list(drop.path)
    waits.push(performance.now() - began)
  })
  client.end()
  ;(await signIn()).end()
  const worst = Math.max(...waits)
  process.stdout.write(
    `drop process: ${idle.toFixed(0)} MB idle, ${most.toFixed(0)} MB attacked; another client waited ${worst.toFixed(0)} ms at most\n`,
  )
  expect(most - idle).toBeLessThan(MAX_GROWTH_MB)
  expect(dropProcessOf(server.child.pid!)).toBe(pid)
}, 300_000)
