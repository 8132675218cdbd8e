// A folder in memory for the temporary files of npm test: creating a database there takes a
// twentieth of the processor time that a disk's file system needs.
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import path from 'node:path'

const MEMORY = '/dev/shm'
/** A whole run uses less than 1 GiB. */
const NEEDED = 4 * 2 ** 30

/**
 * Null where the system has no such folder, too little space in it, or allows no programs there.
 */
export async function makeMemoryFolder(): Promise<string | null> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  const mount = mounts.split('\n').find((line) => line.split(' ')[1] === MEMORY)
  const [, , type, options] = mount?.split(' ') ?? []
  if (type !== 'tmpfs' || options?.split(',').includes('noexec')) return null
  const { bavail, bsize } = await statfs(MEMORY)
  if (bavail * bsize < NEEDED) return null
  const folder = await mkdtemp(path.join(MEMORY, 'stevedore-tests-'))
  // PostgreSQL runs as another user when root runs the tests.
  await chmod(folder, 0o755)
  return folder
}

export async function removeMemoryFolder(folder: string | null): Promise<void> {
  if (folder) await rm(folder, { recursive: true, force: true })
}
