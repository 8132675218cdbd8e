// The common part of plugins for single PDF documents: other files stay unchanged, and a document's
// error becomes its item's failure.
import { eachItem, planEach, nonPdfReason, type Item, type Outcome } from '../contract/index.ts'

type DocumentChange = Omit<Extract<Outcome, { status: 'ok' }>, 'item' | 'status'>

/** Plans by the name alone: only the bytes show whether a document can be processed. */
export const planDocuments = planEach(({ file }) => {
  const unchanged = nonPdfReason(file)
  return { status: 'ok', ...(unchanged ? { unchanged } : {}) }
})

/** Runs `change` for every document, for `limit` of them concurrently. */
export const eachDocument = (
  items: readonly Item[],
  limit: number,
  signal: AbortSignal,
  change: (item: Item) => Promise<DocumentChange>,
): AsyncIterable<Outcome> =>
  eachItem(items, limit, signal, async (item) => {
    const unchanged = nonPdfReason(item.file)
    return { status: 'ok', ...(unchanged ? { unchanged } : await change(item)) }
  })
