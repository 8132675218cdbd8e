// Finds the rclone program and checks its version, once per process.
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { isProgram, placesOnPath } from '../../../core/programs.ts'

export interface RcloneProgram {
  /** The absolute path of the program; null: none can be used. */
  path: string | null
  version: string | null
  /** Why it cannot be used and what to do about it; null: it can be used. */
  message: string | null
}

const LEAST = [1, 60] as const
const INSTALL =
  'Install rclone 1.60 or newer (apt-get install rclone, or https://rclone.org/install/), or set RCLONE_EXECUTABLE, then restart the server'

/** The copy that `npm ci` downloads into the package rclone.js; null: the package is missing. */
export const PACKAGED = packaged()

function packaged(): string | null {
  try {
    const root = path.dirname(createRequire(import.meta.url).resolve('rclone.js/package.json'))
    return path.join(root, 'bin', process.platform === 'win32' ? 'rclone.exe' : 'rclone')
  } catch {
    return null
  }
}

/**
 * @param executable the value of RCLONE_EXECUTABLE; null: it is searched for.
 * @param places where it is searched for, the best first.
 */
export async function findRclone(
  executable: string | null,
  places: readonly string[] = [...(PACKAGED === null ? [] : [PACKAGED]), ...placesOnPath('rclone')],
): Promise<RcloneProgram> {
  const candidates = executable === null ? places : [executable]
  const programs = candidates.filter(isProgram)
  if (programs.length === 0) {
    const where =
      executable === null ? 'rclone is not installed' : 'RCLONE_EXECUTABLE is no program'
    return { path: null, version: null, message: `${where}. ${INSTALL}` }
  }
  const checked: RcloneProgram[] = []
  for (const program of programs) {
    const found = await check(program)
    if (found.message === null) return found
    checked.push(found)
  }
  return checked[0] as RcloneProgram
}

/** A program counts if it runs: a name on the path may be a script whose program is missing. */
async function check(program: string): Promise<RcloneProgram> {
  const version = await (versions.get(program) ?? readVersion(program))
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]))
    return { path: program, version, message: null }
  const problem = version === null ? 'rclone does not start' : `rclone ${version} is too old`
  return { path: null, version, message: `${problem}. ${INSTALL}` }
}

/**
 * The versions of programs, cached because starting rclone takes a tenth of a second of processor
 * time.
 */
const versions = new Map<string, Promise<string | null>>()

function readVersion(program: string): Promise<string | null> {
  const version = versionOf(program)
  versions.set(program, version)
  // The program may be installed or repaired later.
  void version.then((found) => found ?? versions.delete(program))
  return version
}

async function versionOf(program: string): Promise<string | null> {
  try {
    const options = { env: { RCLONE_CONFIG: '' }, timeout: 10_000 }
    const { stdout } = await promisify(execFile)(program, ['version'], options)
    return /^rclone v(\d+\.\d+(?:\.\d+)?)/m.exec(stdout)?.[1] ?? null
  } catch {
    return null
  }
}
