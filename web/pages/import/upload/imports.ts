// What becomes of files that have arrived: those of a batch are imported as one operation, which is followed to its end.
import { ApiError } from '../../../client/error.ts'
import { hasEnded } from '../../../client/operations.ts'
import { readItems, readOperation, retryOperation, startBatch } from '../../../client/uploads.ts'
import { type Arrived, outcomesOf } from './outcomes.ts'
import { type Outcome } from './rows.ts'

export interface Import {
  /** The operation's id. */
  id: string
  ended: boolean
  /** Of the files that are in the queue. */
  failed: number
}

const FOLLOWED_MS = 1000
const pause = () => new Promise((resolve) => setTimeout(resolve, FOLLOWED_MS))

/** What passes by itself, such as a lost network, is waited for. Throws the rest. */
async function surely<T>(work: () => Promise<T>): Promise<T> {
  while (true)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ApiError && error.passing)) throw error
      await pause()
    }
}

export type Imports = ReturnType<typeof createImports>

export function createImports(onChange: () => void) {
  const imports = new Map<string, Import>()
  const outcomes = new Map<string, Outcome>()
  const files = new Map<string, Arrived & { operation: string }>()
  const starting = new Set<string>()
  const errors = new Map<string, Error>()

  const filesOf = (operation: string) => [...files.values()].filter((file) => file.operation === operation)

  async function resultsOf(operation: string): Promise<ReadonlyMap<string, Outcome>> {
    while (!hasEnded(await surely(() => readOperation(operation)))) await pause()
    return outcomesOf(filesOf(operation), await surely(() => readItems(operation)))
  }

  async function follow(operation: string): Promise<void> {
    if (imports.get(operation)?.ended === false) return
    imports.set(operation, { id: operation, ended: false, failed: 0 })
    onChange()
    const results = await resultsOf(operation).catch((error: Error) => unread(filesOf(operation), error))
    // Whoever was taken out of the queue in the meantime is spoken of no more.
    for (const { id } of filesOf(operation)) outcomes.set(id, results.get(id)!)
    const failed = [...results.values()].filter(({ status }) => status === 'failed').length
    imports.set(operation, { id: operation, ended: true, failed })
    onChange()
  }

  return {
    outcome: (file: string) => outcomes.get(file),
    /** Has the import of this file been asked for? */
    has: (file: string) => files.has(file),
    list: () => [...imports.values()],
    /** Batches that could not be imported, each with the reason. */
    errors: () => [...errors],
    /** All of one batch, and all of it that is there. Asked twice at once, the second does nothing. */
    start: async (batch: string, arrived: readonly Arrived[]) => {
      if (starting.has(batch) || errors.has(batch)) return
      starting.add(batch)
      try {
        const { id } = await surely(() => startBatch(batch))
        for (const file of arrived) files.set(file.id, { ...file, operation: id })
        void follow(id)
      } catch (error) {
        errors.set(batch, error as Error)
      } finally {
        starting.delete(batch)
        onChange()
      }
    },
    /** What could not be started may be tried again. */
    forgive: (batch: string) => {
      errors.delete(batch)
      onChange()
    },
    /** Tries again what failed in the operations that these files were in: in each of them once. Throws `ApiError`. */
    retry: async (some: readonly string[]) => {
      const operations = new Set(some.flatMap((file) => files.get(file)?.operation ?? []))
      await Promise.all(
        [...operations].map(async (operation) => {
          await retryOperation(operation)
          for (const { id } of filesOf(operation)) if (isOpen(outcomes.get(id))) outcomes.delete(id)
          void follow(operation)
        }),
      )
    },
    /** These are not in the queue any more; what comes under their ids is another file. */
    forget: (some: readonly string[]) => {
      for (const id of some) {
        files.delete(id)
        outcomes.delete(id)
      }
    },
  }
}

/** What became of them is not known, and will not be. */
const unread = (files: readonly Arrived[], { message }: Error): ReadonlyMap<string, Outcome> =>
  new Map(
    files.map(({ id }) => [id, { status: 'failed', error: `The result could not be read: ${message}`, code: null }]),
  )

/** May another try end otherwise? One whose name is taken stays as it is until somebody says what becomes of it. */
const isOpen = (outcome: Outcome | undefined): boolean =>
  outcome?.status === 'failed' && outcome.code !== 'duplicate_filename'
