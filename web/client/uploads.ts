// Uploads beside their bytes: which names are taken, and batches of files that become one operation.
import { call } from './client.ts'
import { type Item, type Operation, type Page } from './types.ts'

export interface CheckedName {
  filename: string
  /** The file that has this name. */
  taken: { file_id: string; filename: string; size_bytes: number } | null
  /** Why no file may be called so. */
  error: { code: string; message: string } | null
}

const NAMES_AT_ONCE = 1000

/** One answer a name. */
export async function checkNames(filenames: readonly string[]): Promise<Map<string, CheckedName>> {
  const found = new Map<string, CheckedName>()
  for (let from = 0; from < filenames.length; from += NAMES_AT_ONCE) {
    const some = filenames.slice(from, from + NAMES_AT_ONCE)
    const { data } = await call<{ data: CheckedName[] }>('/api/uploads/check-names', {
      method: 'POST',
      body: { filenames: some },
    })
    data.forEach((answer, at) => found.set(some[at]!, answer))
  }
  return found
}

/** With the last of `count` files the import starts by itself. */
export const createBatch = (count: number): Promise<{ id: string }> =>
  call('/api/uploads/batches', { method: 'POST', body: { count } })

/** Imports what has arrived of it and is in no operation yet; with nothing new, gives the last operation. */
export const startBatch = (id: string): Promise<Operation> =>
  call(`/api/uploads/batches/${id}/start`, { method: 'POST' })

export const readOperation = (id: string): Promise<Operation> => call(`/api/operations/${id}`)

export const retryOperation = (id: string): Promise<Operation> =>
  call(`/api/operations/${id}/retry`, { method: 'POST' })

/** Every item, in order, however many. */
export async function readItems(id: string): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: Page<Item> = await call(`/api/operations/${id}/items`, { query: { limit: 250, cursor } })
    items.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return items
}
