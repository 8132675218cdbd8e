// Programs of other packages that are found on the path.
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Whether the file exists and may be run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Where a program of this name may be, in the order of the path. Relative folders and those of npm
 * packages are left out: what is there depends on the folder in which the server was started.
 */
export const placesOnPath = (name: string): string[] =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !folder.includes('node_modules'))
    .map((folder) => path.join(folder, name))
