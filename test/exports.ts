// Exports as other apps write them, with addresses of an origin of the test.
import { readFileSync } from 'node:fs'
import path from 'node:path'

const FOLDER = path.resolve(import.meta.dirname, 'exports')

/** The bytes of an export whose files are on this origin. */
export const exportOf = (name: string, origin: string): Buffer =>
  Buffer.from(
    readFileSync(path.join(FOLDER, name), 'latin1').replaceAll('ORIGIN', origin),
    'latin1',
  )
