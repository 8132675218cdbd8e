// An earlier version of the product in another folder, from the repository's history, with the
// packages of this one.
import { execFile } from 'node:child_process'
import { cp, readdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './server.ts'

const run = promisify(execFile)
const git = async (...args: string[]) =>
  (await run('git', ['-C', ROOT, ...args], { maxBuffer: 10_000_000 })).stdout.trim()

export interface EarlierVersion {
  commit: string
  /** The numbers of its last migration and of this version's. */
  migration: string
  newest: string
}

/** The tag of the last release before this commit; null: there is none. */
const lastRelease = () =>
  git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^').catch(() => null)

/**
 * The last release, or, if it lacks no migration of this version, the newest commit that does. Before
 * the first release and its first later migration: this commit. `PREVIOUS` names another tag or
 * commit.
 */
export async function findEarlierVersion(): Promise<EarlierVersion> {
  const current = (await readdir(path.join(ROOT, 'migrations'))).filter((name) => /^\d/.test(name))
  const newest = numberOf(current)
  const given = process.env.PREVIOUS ?? ''
  const commits = given
    ? [given]
    : [
        ...((await lastRelease()) ?? '').split('\n').filter(Boolean),
        ...(await git('log', '--first-parent', '--format=%H')).split('\n'),
      ]
  for (const commit of commits) {
    const names = await migrationsOf(commit)
    const migration = numberOf(names)
    if (migration < newest && names.every((name) => current.includes(name)))
      return { commit, migration, newest }
  }
  if (given) throw new Error(`${given} does not have fewer migrations`)
  return { commit: await git('rev-parse', 'HEAD'), migration: newest, newest }
}

const migrationsOf = async (commit: string): Promise<string[]> =>
  (await git('ls-tree', '--name-only', `${commit}:migrations`))
    .split('\n')
    .filter((name) => /^\d/.test(name))

const numberOf = (names: readonly string[]): string => names.toSorted().at(-1)!.slice(0, 4)

/** The built page is this version's: a test of servers does not show it. */
export async function checkOut({ commit }: EarlierVersion, folder: string): Promise<void> {
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, folder])
  await run('git', ['-C', folder, 'checkout', '--quiet', '--detach', commit])
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  await cp(path.join(ROOT, 'web/dist'), path.join(folder, 'web/dist'), { recursive: true })
}
