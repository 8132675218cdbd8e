// The files of folders and names that the command is given.
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { isSystemFile } from '../../plugins/_page/system-files.ts'
import { UsageError } from './exit.ts'
import { stateOf, type FileState } from './local-file.ts'

export interface LocalFile extends FileState {
  /** Absolute. */
  path: string
  /** As it is shown: inside the given folder, with slashes on all systems. */
  shown: string
  filename: string
  /** The name of the folder that holds it. */
  folder: string
}

/** Names that programs give to files which they have not finished. */
const UNFINISHED = /\.(part|partial|crdownload|download|tmp|temp|filepart|!ut)$/i

/** Is this part of a path left out? Only below a given folder. */
export const isLeftOut = (name: string): boolean =>
  name.startsWith('.') || isSystemFile(name) || isSystemFile(`${name}/file`)

export const isUnfinished = (name: string): boolean => UNFINISHED.test(name)

/** `inside` of `folder` with slashes: `a\b.pdf` on Windows is `a/b.pdf`. */
export const shownPath = (
  folder: string,
  file: string,
  { relative, sep }: Pick<path.PlatformPath, 'relative' | 'sep'> = path,
): string => relative(folder, file).split(sep).join('/')

/** Files of the given folders and names, each once, sorted. Throws `UsageError` if one is missing. */
export async function localFiles(given: readonly string[]): Promise<LocalFile[]> {
  const found = new Map<string, LocalFile>()
  for (const name of given) {
    const place = path.resolve(name)
    const about = await stat(place).catch(() => null)
    if (!about) throw new UsageError(`There is no file or folder ${name}`)
    const files = about.isDirectory() ? await filesIn(place) : [place]
    const base = about.isDirectory() ? place : path.dirname(place)
    for (const file of files) {
      const one = await described(base, file)
      if (one) found.set(file, one)
    }
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const inside = entries
    .filter(({ name }) => !isLeftOut(name))
    .map(async (entry) => {
      const place = path.join(folder, entry.name)
      if (entry.isDirectory()) return filesIn(place)
      // Links to files are followed; links to folders may lead in circles.
      const isFile = entry.isFile() || (entry.isSymbolicLink() && (await isFileAt(place)))
      return isFile ? [place] : []
    })
  return (await Promise.all(inside)).flat()
}

const isFileAt = async (place: string): Promise<boolean> =>
  (await stat(place).catch(() => null))?.isFile() ?? false

/** Null: it is gone meanwhile. */
async function described(base: string, file: string): Promise<LocalFile | null> {
  const state = await stateOf(file).catch(() => null)
  return (
    state && {
      ...state,
      path: file,
      shown: shownPath(base, file),
      // macOS writes accents as separate characters.
      filename: path.basename(file).normalize('NFC'),
      folder: path.basename(path.dirname(file)).normalize('NFC'),
    }
  )
}
