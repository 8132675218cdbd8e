// A PgBouncer in front of a test's database that shares connections between transactions.
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, vi } from 'vitest'
import { whereIs } from '../programs.ts'
import { WAIT_MS } from '../wait.ts'
import { freePort } from './server.ts'

export interface Bouncer {
  /** The address of the database through it. */
  url: string
  close(): Promise<void>
}

/**
 * @param connections the most connections to the server.
 * @param more further settings, one a line.
 */
export async function startBouncer(
  databaseUrl: string,
  connections: number,
  more = '',
): Promise<Bouncer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-pgbouncer-'))
  const port = await freePort()
  const { hostname, port: at, username, password, pathname, searchParams } = new URL(databaseUrl)
  const config = path.join(folder, 'pgbouncer.ini')
  await writeFile(
    config,
    `[databases]
${pathname.slice(1)} = user=${username} password=${password || 'none'} host=${searchParams.get('host') ?? hostname} port=${at || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 3000
${more}
`,
  )
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chmod(folder, 0o755)
  const started = [...(isRoot ? ['-u', 'nobody'] : []), config]
  const bouncer = spawn(whereIs('pgbouncer')!, started, { stdio: 'ignore' })
  await vi.waitFor(async () => expect(await reachable(port)).toBe(true), { timeout: WAIT_MS })
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    close: async () => {
      bouncer.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const reachable = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
