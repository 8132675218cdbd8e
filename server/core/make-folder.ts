// Creates folders whose paths come from the configuration.
import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from './config-error.ts'

/**
 * Creates a folder and its missing parents; does nothing if it exists. Throws the system's error.
 *
 * Not `mkdir` with `recursive`: Node.js repeats the same two calls for ever if the system answers
 * ENOENT although the parent exists, as it does below /proc.
 */
export function makeFolderSync(folder: string, mode: number): void {
  const error = tryMake(folder, mode)
  if (error === null) return
  const parent = path.dirname(folder)
  if (error.code !== 'ENOENT' || parent === folder) throw error
  makeFolderSync(parent, mode)
  const again = tryMake(folder, mode)
  if (again !== null) throw again
}

/** Throws `ConfigError` if the folder cannot be created. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolderSync(folder, 0o777)
  } catch (error) {
    throw new ConfigError([`DATA_DIR: the folder can't be used (${(error as Error).message})`])
  }
}

/** Creates the folder; returns the system's error, or null if the folder exists afterwards. */
function tryMake(folder: string, mode: number): NodeJS.ErrnoException | null {
  try {
    mkdirSync(folder, { mode })
    return null
  } catch (error) {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory()
      ? null
      : (error as NodeJS.ErrnoException)
  }
}
