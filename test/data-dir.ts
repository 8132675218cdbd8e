// Data folders of tests. They are removed together with the database, which a server run by root
// may keep elsewhere.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { clusterOf } from '../server/core/db/embedded-place.ts'

/**
 * PostgreSQL's user must be able to enter, so that the database can be in it when root runs the
 * tests.
 */
export async function makeDataDir(name = 'stevedore-flow-'): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), name))
  await chmod(folder, 0o711)
  return folder
}

export async function removeDataDir(folder: string): Promise<void> {
  const cluster = await clusterOf(path.join(folder, 'postgres'))
  // Outside the data folder, only a folder that the server created may be removed.
  const outside = path.dirname(cluster)
  if (path.basename(outside).startsWith('stevedore-postgres-'))
    await rm(outside, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}
