// The common part of plugins for single PDF documents: other files stay unchanged, and a document's
// error becomes its item's failure.
import {
  concurrently,
  failed,
  planEach,
  nonPdfReason,
  type Item,
  type Outcome,
} from '../contract.ts'

type Changed = Omit<Extract<Outcome, { status: 'ok' }>, 'item' | 'status'>

/** By the name alone: only the bytes show whether a document can be processed. */
export const planDocuments = planEach(({ file }) => {
  const unchanged = nonPdfReason(file)
  return { status: 'ok', ...(unchanged ? { unchanged } : {}) }
})

/** Runs `change` for every document, for `limit` of them concurrently. */
export const eachDocument = (
  items: readonly Item[],
  limit: number,
  signal: AbortSignal,
  change: (item: Item) => Promise<Changed>,
): AsyncIterable<Outcome> =>
  concurrently(items, limit, signal, async (item): Promise<Outcome> => {
    const unchanged = nonPdfReason(item.file)
    if (unchanged) return { item: item.id, status: 'ok', unchanged }
    try {
      return { item: item.id, status: 'ok', ...(await change(item)) }
    } catch (error) {
      return failed(item, error)
    }
  })
