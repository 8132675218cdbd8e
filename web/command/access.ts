// The address of the installation and the key. A key is never an argument: other users of a
// machine see the arguments of all programs.
import { readFile, stat } from 'node:fs/promises'
import { UsageError } from './exit.ts'
import { ownPackage } from './own-package.ts'
import { keyFileOf, type System } from './places.ts'

/** Throws `UsageError`. */
export function installationOf({ env }: Pick<System, 'env'>): string {
  const given = env.STEVEDORE_URL || ownPackage()?.stevedore?.url
  if (!given)
    throw new UsageError('Set STEVEDORE_URL to the address of your installation, https://…')
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UsageError(`STEVEDORE_URL is no address: ${given}`)
  return given.replace(/\/+$/, '')
}

/** Throws `UsageError`. */
export async function keyOf(
  system: System,
  url: string,
  file: string | undefined,
): Promise<string> {
  const { STEVEDORE_KEY: key } = system.env
  if (file === undefined && key) return checked(key, 'STEVEDORE_KEY')
  const place = file ?? keyFileOf(system, url)
  const missing =
    file === undefined
      ? `Set STEVEDORE_KEY, or write an API key to ${place} (mode 0600)`
      : undefined
  return checked(await readSecret(system, place, missing), place)
}

/** Reads a file that others must not be able to read. Throws `UsageError`. */
export async function readSecret(
  system: System,
  place: string,
  missing = `There is no file ${place}`,
): Promise<string> {
  const found = await stat(place).catch(() => null)
  if (!found) throw new UsageError(missing)
  // Windows has no such modes: the folder belongs to its user.
  if (system.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw new UsageError(
      `Others can read ${place} (mode 0${(found.mode & 0o777).toString(8)}). Run: chmod 600 "${place}"`,
    )
  return readFile(place, 'utf8')
}

function checked(text: string, from: string): string {
  const key = text.trim()
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`${from} has no API key`)
  return key
}

/** Keys travel readable over plain HTTP. */
export function isOpenToOthers(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
