// Two machines whose drop servers keep files in transfer in one folder (DROP_DIR): when one is lost,
// the client continues at the other.
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDataDir, removeDataDir } from '../data-dir.ts'
import { dropProcessOf } from '../drop-process.ts'
import { contentOf } from '../fakes/content.ts'
import { openSftp } from '../sftp-client.ts'
import { startMachines, type Machines } from './machines.ts'

let machines: Machines
let shared: string
beforeAll(async () => {
  ;[machines, shared] = await Promise.all([startMachines(), makeDataDir('stevedore-shared-')])
})
afterAll(async () => {
  await machines?.close()
  await removeDataDir(shared)
})

const PIECE = 30_000

test('a transfer continues at another machine from where it was', async () => {
  const env = { DROP_DIR: shared }
  const first = await machines.startWeb({ drop: true, env })
  const second = await machines.startWeb({ drop: true, env })
  await second.server.call('PATCH', '/api/drop', { schedule: 'manual' })
  const whole = contentOf(3_000_000, 'shared')
  const { username, password, path } = first.drop!
  const name = `${path}shared.bin`
  const { sftp } = await openSftp(first.drop!.sftp_port, username, password)
  const handle = await promisify(sftp.open.bind(sftp))(name, 'w')
  for (let at = 0; at < whole.length / 2; at += PIECE)
    await promisify(sftp.write.bind(sftp))(handle, whole, at, PIECE, at)

  const dropProcess = dropProcessOf(first.server.child.pid!)!
  await first.server.kill()
  process.kill(dropProcess, 'SIGKILL')

  const client = await openSftp(second.drop!.sftp_port, username, password)
  const sizeThere = () => client.size(name).catch(() => 0)
  await expect.poll(sizeThere).toBeGreaterThan(0)
  const kept = await sizeThere()
  expect(kept).toBeLessThanOrEqual(whole.length / 2)
  const again = await promisify(client.sftp.open.bind(client.sftp))(name, 'r+')
  for (let at = kept; at < whole.length; at += PIECE) {
    const length = Math.min(PIECE, whole.length - at)
    await promisify(client.sftp.write.bind(client.sftp))(again, whole, at, length, at)
  }
  await promisify(client.sftp.close.bind(client.sftp))(again)
  expect((await client.get(name)).equals(whole)).toBe(true)
  client.end()
})
