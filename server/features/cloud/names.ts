// Maps an object's path to a file here: its name, its pack, and the text for guessing; and back.
import { UNSAFE_CHARACTERS } from '../../../plugins/contract/index.ts'
import { cleanName, MAX_NAME_LENGTH } from '../../files/rules.ts'

const SEPARATOR = ' - '
const MAX_PACK = 200
const UNSAFE = new RegExp(UNSAFE_CHARACTERS.source, `${UNSAFE_CHARACTERS.flags.replace('g', '')}g`)

const clean = (text: string) =>
  cleanName(text).replace(/[\\/]/g, '_').replace(UNSAFE, '_').trim() || '_'

/** A valid filename for the object; `names`: whether it includes the object's folders. */
export function filenameOf(path: string, names: 'filename' | 'path'): string {
  const parts = path.split('/').filter((part) => part !== '')
  const name = names === 'filename' ? (parts.at(-1) ?? '') : parts.join(SEPARATOR)
  const safe = clean(name.normalize('NFC'))
  return safe === '.' || safe === '..' ? '_' : shortened(safe)
}

/** Cuts the name in the middle, so that the extension is kept. */
function shortened(name: string): string {
  const letters = [...name]
  if (letters.length <= MAX_NAME_LENGTH) return name
  const at = name.lastIndexOf('.')
  const end = at > 0 ? Array.from(name.slice(at)) : []
  const kept = end.length < 30 ? end : []
  return (
    letters
      .slice(0, MAX_NAME_LENGTH - kept.length)
      .join('')
      .trim() + kept.join('')
  )
}

/** The pack of the object's subfolder; null: it is in the synced folder itself. */
export function packOf(path: string): string | null {
  const folders = path
    .split('/')
    .slice(0, -1)
    .filter((part) => part.trim() !== '')
  if (folders.length === 0) return null
  return [...clean(folders.join(SEPARATOR))].slice(0, MAX_PACK).join('').trim()
}

/** The path with its folders, as words. */
export const matchText = (path: string): string => path.replaceAll('/', ' ')

const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/')

/** The path of a file with this name at the provider, in the folder of `path`. */
export function pathFor(filename: string, path: string, names: 'filename' | 'path'): string {
  const folder = folderOf(path)
  const prefix =
    names === 'path' && folder !== '' ? filenameOf(`${folder}/x`, names).slice(0, -1) : ''
  const name = filename.startsWith(prefix) ? filename.slice(prefix.length) : filename
  return folder === '' ? name : `${folder}/${name}`
}

/** `guide.pdf`, `Dropbox` → `guide (from Dropbox).pdf`. */
export function markedName(filename: string, origin: string): string {
  const at = filename.lastIndexOf('.')
  const [stem, end] = at > 0 ? [filename.slice(0, at), filename.slice(at)] : [filename, '']
  const suffix = ` (from ${origin})${end}`
  return [...stem].slice(0, MAX_NAME_LENGTH - [...suffix].length).join('') + suffix
}
