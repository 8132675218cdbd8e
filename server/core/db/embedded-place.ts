// The folder of the embedded PostgreSQL and the user that runs it. PostgreSQL refuses to run as
// root, so root starts it as another user. Where that user can't enter the data folder, the cluster
// is outside it.
import { randomUUID } from 'node:crypto'
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Logger } from '../log.ts'
import { runningProcess } from './embedded-process.ts'
import { findPrograms, programsFor, type Programs } from './embedded-programs.ts'
import { asCurrentUser, asUser, type Runner, type User } from './embedded-runner.ts'

export interface EmbeddedPlace {
  /** The folder that holds the cluster and the server's log. */
  folder: string
  cluster: string
  programs: Programs
  runner: Runner
  /**
   * Call it once the cluster exists: from then on a start refuses to create an empty one.
   */
  keep(): Promise<void>
}

/** Stored in `<dataDir>/postgres` while the cluster is elsewhere. */
interface Outside {
  folder: string
  /**
   * The folder holds data. If it is missing, the data was lost, and a start refuses to create an
   * empty one.
   */
  ready: boolean
}

const RECORD = 'outside.json'
/** The file in a folder outside that names its data folder. */
const OWNER_FILE = 'data-folder'
const SYSTEM_FOLDER = '/var/lib/stevedore'

/** The cluster of the data folder whose `postgres` folder this is. */
export async function clusterOf(home: string): Promise<string> {
  return path.join((await outsideOf(home))?.folder ?? home, 'cluster')
}

/**
 * Finds or creates the folder. Throws if PostgreSQL's user can reach none, or if the recorded one
 * is missing.
 */
export async function openPlace(home: string, log: Logger): Promise<EmbeddedPlace> {
  const found = await findPrograms()
  const placed = (
    folder: string,
    programs: Programs,
    runner: Runner,
    keep: EmbeddedPlace['keep'],
  ): EmbeddedPlace => ({
    folder,
    cluster: path.join(folder, 'cluster'),
    programs,
    runner,
    keep,
  })
  if (process.getuid?.() !== 0)
    return placed(home, found, asCurrentUser(home), () => Promise.resolve())

  const user = await clusterUser(await clusterOf(home))
  const runner = asUser(user)
  const outside = await outsideOf(home)
  if (outside?.ready) await requireOurs(outside.folder, home)
  const inside = outside === null && (await ownHome(home, user, runner))
  const folder = inside ? home : (outside?.folder ?? (await moveOut(home, runner, log)))
  const keep = () => (inside ? Promise.resolve() : writeRecord(home, { folder, ready: true }))
  return placed(folder, await programsFor(found, folder, runner), runner, keep)
}

/**
 * The record of a cluster outside. An unfinished record counts only if its cluster is complete.
 */
async function outsideOf(home: string): Promise<Outside | null> {
  const record = await readRecord(home)
  return record && (record.ready || (await isCluster(path.join(record.folder, 'cluster'))))
    ? record
    : null
}

/** Makes PostgreSQL's user the owner of the folder. Returns false if that user can't reach it. */
async function ownHome(home: string, user: User, runner: Runner): Promise<boolean> {
  try {
    await chown(home, user.uid, user.gid)
  } catch {
    return false
  }
  return runner.reaches(home)
}

async function moveOut(home: string, runner: Runner, log: Logger): Promise<string> {
  const inside = path.join(home, 'cluster')
  if (await isCluster(inside)) await requireStopped(inside)
  const started = await readRecord(home)
  const folder =
    started && (await isPrivate(started.folder))
      ? started.folder
      : await makeOutside(await realpath(home), runner)
  // The folder is recorded while it is empty, so that a killed start leaves none without a record.
  await writeRecord(home, { folder, ready: false })
  await writeFile(path.join(folder, OWNER_FILE), (await realpath(home)) + '\n', { mode: 0o600 })
  if (await isCluster(inside)) await moveCluster(inside, path.join(folder, 'cluster'))
  log.info('PostgreSQL’s user can’t enter the data folder: the database is kept outside it', {
    folder,
  })
  if (
    isWithin(folder, await realpath(tmpdir())) &&
    !isWithin(await realpath(home), await realpath(tmpdir()))
  )
    log.warn(
      'the database is in the temporary folder, which may be emptied: set DATA_DIR to a folder like /srv/stevedore',
    )
  return folder
}

/** A folder owned by root that others can traverse but not write to. */
async function makeOutside(home: string, runner: Runner): Promise<string> {
  const temporary = await realpath(tmpdir())
  // A cluster outside a temporary data folder would outlive it: it is created in the temporary
  // folder.
  const bases = isWithin(home, temporary) ? [temporary, SYSTEM_FOLDER] : [SYSTEM_FOLDER, temporary]
  for (const base of bases) {
    const folder = await makeIn(base).catch(() => null)
    if (folder === null) continue
    if (await runner.passes(folder)) return folder
    await rm(folder, { recursive: true })
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and its user can’t enter ${home}, ${bases.join(' or ')}. ` +
      'Set DATA_DIR to a folder that other users may enter, or set DATABASE_URL.',
  )
}

async function makeIn(base: string): Promise<string> {
  await mkdir(base, { recursive: true, mode: 0o755 })
  const folder = await mkdtemp(path.join(base, 'stevedore-postgres-'))
  await chmod(folder, 0o711)
  return folder
}

async function moveCluster(from: string, to: string): Promise<void> {
  const moved = await rename(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV') throw error
      return false
    },
  )
  if (moved) return
  // Another file system. Copied under a temporary name: a folder named cluster is always complete.
  const copy = `${to}.copy`
  await rm(copy, { recursive: true, force: true })
  const { uid, gid } = await stat(from)
  await cp(from, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  await asUser({ uid, gid }).chownAll(copy)
  await rename(copy, to)
  const old = `${from}.moved-${randomUUID()}`
  await rename(from, old)
  await rm(old, { recursive: true, force: true })
}

async function requireStopped(cluster: string): Promise<void> {
  const pid = await runningProcess(cluster)
  if (pid !== null)
    throw new Error(
      `PostgreSQL still runs on ${cluster}, which has to be moved. Stop the Stevedore that uses it; ` +
        `if none does, stop it with: kill -INT ${pid}`,
    )
}

async function requireOurs(folder: string, home: string): Promise<void> {
  if (!(await isPrivate(folder)) || !(await isCluster(path.join(folder, 'cluster'))))
    throw new Error(
      `The database of ${home} is kept in ${folder}, which is missing or belongs to another user. Restore it from ` +
        `your backup; to begin with an empty database, remove ${path.join(home, RECORD)}.`,
    )
  const here = await realpath(home)
  const owner = (await readFile(path.join(folder, OWNER_FILE), 'utf8').catch(() => '')).trim()
  if (owner === here) return
  // If the data folder was moved, it takes the database along. A copy must not share it.
  if (owner !== '' && (await readRecord(owner))?.folder === folder)
    throw new Error(
      `${here} is a copy of ${owner}, whose database is kept in ${folder}. Copy that folder too, as root, and name ` +
        `the copy in ${path.join(here, RECORD)}.`,
    )
  await writeFile(path.join(folder, OWNER_FILE), here + '\n', { mode: 0o600 })
}

/**
 * Owned by root and not writable by others: in a shared folder another user may have taken the
 * name.
 */
async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null)
  return found !== null && found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0
}

/** The owner of an existing cluster; otherwise a user that exists on this machine. */
async function clusterUser(cluster: string): Promise<User> {
  const there = await stat(path.join(cluster, 'PG_VERSION')).catch(() => null)
  if (there && there.uid !== 0) return { uid: there.uid, gid: there.gid }
  const passwd = await readFile('/etc/passwd', 'utf8')
  for (const name of ['postgres', 'nobody']) {
    const entry = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(passwd)
    if (entry) return { uid: Number(entry[1]), gid: Number(entry[2]) }
  }
  throw new Error(
    'PostgreSQL refuses to run as root and there is no user "postgres" or "nobody". Set DATABASE_URL.',
  )
}

/**
 * Throws if a record exists but can't be read: ignoring it would create an empty database.
 */
async function readRecord(home: string): Promise<Outside | null> {
  const file = path.join(home, RECORD)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const { folder, ready } = JSON.parse(text) as Partial<Outside>
  if (typeof folder !== 'string' || !path.isAbsolute(folder))
    throw new Error(`${file} is damaged: it names the folder of the database. Restore it.`)
  return { folder, ready: ready === true }
}

async function writeRecord(home: string, record: Outside): Promise<void> {
  const file = path.join(home, RECORD)
  await writeFile(`${file}.new`, JSON.stringify(record, null, 2) + '\n', {
    mode: 0o600,
    flush: true,
  })
  await rename(`${file}.new`, file)
}

export const isCluster = (folder: string): Promise<boolean> =>
  stat(path.join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  )

const isWithin = (inner: string, outer: string) =>
  inner === outer || inner.startsWith(outer + path.sep)
