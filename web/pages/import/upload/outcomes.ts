// Which of an import's results is which upload's: names may stand several times, each in a folder of its own.
import { type Item } from '../../../client/types.ts'
import { type Outcome } from './rows.ts'

export interface Arrived {
  /** The queue's id of the file. */
  id: string
  filename: string
  /** The upload's own id. Ids rise in the order in which uploads were begun, and so do the items of their import. */
  upload: string
}

type Result = Pick<Item, 'filename' | 'status' | 'error'>

/**
 * What became of each of these, by the queue's id. An import may have files besides, which arrived before the page was loaded
 * anew: those stand before the others.
 */
export function outcomesOf(arrived: readonly Arrived[], items: readonly Result[]): Map<string, Outcome> {
  const files = arrived.toSorted((a, b) => (a.upload < b.upload ? -1 : 1))
  const pairs =
    files.length === items.length ? files.map((file, at) => [file, items[at]!] as const) : byName(files, items)
  const found = new Map(pairs.map(([{ id }, item]) => [id, outcomeOf(item)]))
  return new Map(arrived.map(({ id }) => [id, found.get(id) ?? UNKNOWN]))
}

/** The last of a name is the last of that name. */
function byName(files: readonly Arrived[], items: readonly Result[]) {
  const left = [...items]
  return files.toReversed().flatMap((file) => {
    const at = left.findLastIndex(({ filename }) => same(filename) === same(file.filename))
    return at < 0 ? [] : [[file, left.splice(at, 1)[0]!] as const]
  })
}

/** Names that are the same to the shop. */
export const same = (name: string): string => name.normalize('NFC').toLowerCase()

const failed = (error: string, code: string | null = null): Outcome => ({ status: 'failed', error, code })

const UNKNOWN = failed('It is not in the import’s list: look at its details')

function outcomeOf({ status, error }: Result): Outcome {
  if (status === 'done') return { status: 'done', error: null, code: null }
  const why = error ? [error.message, error.detail].filter(Boolean).join(': ') : null
  if (status === 'cancelled') return failed(why ?? 'The import was cancelled before it came to this file')
  if (status === 'skipped') return failed(why ?? 'It was passed over')
  return failed(why ?? 'The import ended before it came to this file', error?.code)
}
