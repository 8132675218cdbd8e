// Where documents are kept in a folder of files: `workflows/supplier-a.yaml`.
import { createHash } from 'node:crypto'
import type { DocumentKind } from './kind.ts'

const MAX_LENGTH = 60

/** The names of the files of these documents, each once also where case does not count. */
export function filePlaces(
  { place, single }: Pick<DocumentKind, 'place' | 'single'>,
  names: readonly (string | null)[],
): string[] {
  if (single) return names.map(() => `${place}.yaml`)
  const slugs = names.map((name) => slugOf(name ?? ''))
  return slugs.map((slug, at) => {
    // Of the name, so that a file keeps its place when other names come and go.
    const isOwn = slug !== '' && slugs.filter((one) => one === slug).length === 1
    const hash = createHash('sha256')
      .update(names[at] ?? '')
      .digest('hex')
      .slice(0, 8)
    return `${place}/${isOwn ? slug : [slug, hash].filter((part) => part !== '').join('-')}.yaml`
  })
}

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '')
