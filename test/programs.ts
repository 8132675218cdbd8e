// Programs that tests and benches need and npm does not provide: found, or installed from the
// system's packages if this user may do so.
import { execFileSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * TypeScript 7 takes a quarter of the processor time of TypeScript 6, whose compiler interface
 * other tools need. Both have a command `tsc`.
 */
export const TSC = path.join(
  path.dirname(createRequire(import.meta.url).resolve('typescript-native/package.json')),
  'bin/tsc',
)

/** Programs of servers are not on every user's path. */
const SERVERS = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']

/**
 * The full path of a command; null: it is not installed. npm puts the scripts of its packages on
 * the path, and such a script is not the program.
 */
export function whereIs(command: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...SERVERS]
  const places = folders
    .filter((folder) => !folder.split(path.sep).includes('node_modules'))
    .map((folder) => path.join(folder, command))
  return places.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Whether the system's Python has this module. Debian's packages are only for that Python. */
export function hasModule(name: string): boolean {
  try {
    execFileSync('/usr/bin/python3', ['-c', `import ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Installs Debian packages. Throws if it cannot. */
export function installPackages(packages: readonly string[]): void {
  if (process.getuid?.() !== 0) throw new Error('only root may')
  execFileSync('apt-get', ['update', '-q'], { stdio: 'ignore' })
  execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], {
    stdio: 'ignore',
  })
}

/**
 * The path of a command, installed from its Debian package if it is missing; null: not available.
 */
export function findProgram(command: string, debianPackage = command): string | null {
  const there = whereIs(command)
  if (there !== null) return there
  try {
    installPackages([debianPackage])
  } catch {
    return null
  }
  return whereIs(command)
}
