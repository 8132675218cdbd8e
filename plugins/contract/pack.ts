// Rules about packs that plugins and the server share: their names, and how moving into a pack
// changes a file's products.
import { z } from 'zod'
import type { FileChange, FileView, Mapping } from './item.ts'
import { textIssue } from './text.ts'
import { UNSAFE_CHARACTERS } from './rules.ts'

const MAX_NAME_LENGTH = 255

/**
 * The problem of a pack's name, or null. Folders become packs and packs become folders: no name has
 * a slash.
 */
export function packNameProblem(name: string): { code: 'invalid_value'; message: string } | null {
  const wrong = (message: string) => ({ code: 'invalid_value', message }) as const
  if (name.trim() === '') return wrong('Give the pack a name')
  if (name !== name.trim()) return wrong('A pack’s name cannot begin or end with a space')
  if ([...name].length > MAX_NAME_LENGTH)
    return wrong(`A pack’s name has at most ${MAX_NAME_LENGTH} characters`)
  if (/[\\/]/.test(name) || name === '.' || name === '..')
    return wrong('A pack’s name cannot contain / or \\')
  if (!name.isWellFormed() || UNSAFE_CHARACTERS.test(name))
    return wrong('A pack’s name cannot contain control or text-direction characters')
  return null
}

/** A pack's name in a request. */
export const packName = z
  .string()
  .trim()
  .superRefine((value, context) => {
    const problem = packNameProblem(value)
    if (problem) context.addIssue(textIssue(problem.message, { code: problem.code }))
  })

const sameTarget = (a: Mapping, b: Mapping) =>
  a.product_id === b.product_id && a.variant_id === b.variant_id

export interface MovedMappings {
  kept: readonly Mapping[]
  /** The mappings that the file loses with the pack that it leaves. */
  removed: readonly Mapping[]
  fresh: readonly Mapping[]
}

/**
 * A file's mappings after a move into the pack, or, for null, out of its pack. The file's own
 * mappings stay.
 */
export function movedMappings(
  { mappings }: Pick<FileView, 'mappings'>,
  pack: Pack | null,
): MovedMappings {
  const products = pack?.products ?? []
  const gone = mappings.filter(
    (one) => one.method === 'pack' && !products.some((product) => sameTarget(product, one)),
  )
  return {
    kept: mappings.filter((one) => !gone.includes(one)),
    removed: gone,
    fresh: products.filter((product) => !mappings.some((one) => sameTarget(one, product))),
  }
}

/**
 * The change that moves a file into a pack, or out of its pack; the file's mappings follow. Null: it is
 * there, with the products of the pack.
 * @param target null: there is no such pack yet, or the file leaves its pack
 * @param name the name of a pack that is created if `target` is null
 */
export function moveToPackChange(
  file: Pick<FileView, 'mappings' | 'pack_id'>,
  target: Pack | null,
  name?: string,
): FileChange | null {
  const { removed, fresh } = movedMappings(file, target)
  const mappings: FileChange['mappings'] = {
    remove: removed.map(({ product_id, variant_id }) => ({ product_id, variant_id })),
    add: fresh,
  }
  if (target === null && name !== undefined) return { pack: { name }, mappings }
  if (file.pack_id !== (target?.id ?? null)) return { pack: target && { id: target.id }, mappings }
  return removed.length + fresh.length > 0 ? { mappings } : null
}

export interface Pack {
  /** The pack's bare UUID. */
  id: string
  name: string
  /** The products of the files in it. */
  products: readonly Mapping[]
}
