// Data folders of tests, removed with the database that root's server may keep outside them.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { clusterOf } from '../server/db/embedded-place.ts'

/** Open to PostgreSQL's user, so that root's database lies in it as everybody's does. */
export async function makeDataDir(name = 'stevedore-flow-'): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), name))
  await chmod(folder, 0o711)
  return folder
}

export async function removeDataDir(folder: string): Promise<void> {
  const cluster = await clusterOf(path.join(folder, 'postgres'))
  // Nothing but a folder that the server made may be removed outside the data folder.
  const outside = path.dirname(cluster)
  if (path.basename(outside).startsWith('stevedore-postgres-'))
    await rm(outside, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}
