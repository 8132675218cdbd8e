// Starts PostgreSQL's programs as a user that PostgreSQL accepts: the current one, or another one
// for root.
import { execFile } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface User {
  uid: number
  gid: number
}

export interface Runner {
  exec(file: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }>
  /** Makes the user that runs PostgreSQL the owner of a file, or of a folder with its contents. */
  own(file: string): Promise<void>
  chownAll(folder: string): Promise<void>
  /** Can that user write in this folder? */
  reaches(folder: string): Promise<boolean>
  /** Can that user traverse this folder? */
  passes(folder: string): Promise<boolean>
}

const environment = () => ({ PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' })

export function asCurrentUser(cwd: string): Runner {
  const yes = () => Promise.resolve(true)
  return {
    exec: (file, args) => run(file, args, { env: environment(), cwd }),
    own: () => Promise.resolve(),
    chownAll: () => Promise.resolve(),
    reaches: yes,
    passes: yes,
  }
}

/**
 * Runs PostgreSQL's programs as its user, for root. PostgreSQL checks with `access()`, which
 * ignores capabilities, so its user needs real permissions.
 */
export function asUser({ uid, gid }: User): Runner {
  const exec: Runner['exec'] = (file, args) =>
    run(file, args, { env: environment(), cwd: '/', uid, gid })
  const holds = (...test: string[]) =>
    exec('test', test).then(
      () => true,
      () => false,
    )
  return {
    exec,
    own: (file) => chown(file, uid, gid),
    chownAll: async (folder) => {
      await run('chown', ['-R', `${uid}:${gid}`, folder])
    },
    reaches: (folder) => holds('-w', folder, '-a', '-x', folder),
    passes: (folder) => holds('-x', folder),
  }
}
