// A clone of the product in another folder, as `git clone` and `npm ci` leave it, with its own
// sources and packages.
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './server.ts'

const run = promisify(execFile)
/**
 * What a clone lacks: the output of local runs. The built page is copied, so that not every clone
 * builds it.
 */
const MADE_HERE = new Set(['node_modules', '.git', '.test', 'data'])

export async function cloneInto(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const entries = (await readdir(ROOT)).filter((name) => !MADE_HERE.has(name))
  for (const name of entries)
    await cp(path.join(ROOT, name), path.join(folder, name), {
      recursive: true,
      preserveTimestamps: true,
    })
  const packages = path.join(ROOT, 'node_modules')
  // Hard links on the same disk: 38,000 files in seconds.
  await run('cp', ['-al', packages, folder]).catch(() => run('cp', ['-a', packages, folder]))
}

/** Gives the clone to that user. Its packages stay readable and not writable for the user. */
export async function giveTo(
  folder: string,
  { uid, gid }: { uid: number; gid: number },
): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== 'node_modules')
  await run('chown', [`${uid}:${gid}`, folder])
  await run('chown', ['-R', `${uid}:${gid}`, ...names.map((name) => path.join(folder, name))])
}
