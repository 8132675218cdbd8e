// Programs that tests and benches need and npm does not provide: found, or installed from the
// system's packages if this user may do so.
import { execFileSync } from 'node:child_process'
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

/** The full path of a command; null: it is not installed. */
export function whereIs(command: string): string | null {
  try {
    // Programs of servers are not on every user's path.
    const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin`
    return execFileSync('which', [command], {
      encoding: 'utf8',
      env: { ...process.env, PATH },
    }).trim()
  } catch {
    return null
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
