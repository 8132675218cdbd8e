// What becomes of files that have arrived: those of a batch are imported as one operation, which is followed to its end.
import { ApiError } from '../../../client/error.ts'
import { hasEnded } from '../../../client/operations.ts'
import { failedItems, readOperation, retryOperation, startBatch } from '../../../client/uploads.ts'
import { type Outcome } from './rows.ts'

export interface Import {
  /** The operation's id. */
  id: string
  ended: boolean
}

export interface Arrived {
  id: string
  filename: string
  batch: string
}

const FOLLOWED_MS = 1000
const DONE: Outcome = { status: 'done', error: null }

/** What passes by itself, such as a lost network, is waited for. */
async function startSurely(batch: string): Promise<{ id: string }> {
  while (true)
    try {
      return await startBatch(batch)
    } catch (error) {
      if (!(error instanceof ApiError && error.passing)) throw error
      await new Promise((resolve) => setTimeout(resolve, FOLLOWED_MS))
    }
}

export type Imports = ReturnType<typeof createImports>

export function createImports(onChange: () => void) {
  const imports = new Map<string, Import>()
  const outcomes = new Map<string, Outcome>()
  const files = new Map<string, { operation: string; filename: string }>()
  const starting = new Set<string>()
  const errors = new Map<string, Error>()

  async function follow(operation: string): Promise<void> {
    imports.set(operation, { id: operation, ended: false })
    onChange()
    let record = await readOperation(operation).catch(() => null)
    while (!record || !hasEnded(record)) {
      await new Promise((resolve) => setTimeout(resolve, FOLLOWED_MS))
      record = await readOperation(operation).catch(() => null)
    }
    const failed = record.failed === 0 ? [] : await failedItems(operation).catch(() => [])
    for (const [file, { operation: own, filename }] of files) {
      if (own !== operation) continue
      const item = failed.find((one) => one.filename === filename)
      outcomes.set(file, item ? { status: 'failed', error: item.error?.message ?? null } : DONE)
    }
    imports.set(operation, { id: operation, ended: true })
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
        const { id } = await startSurely(batch)
        for (const file of arrived) files.set(file.id, { operation: id, filename: file.filename })
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
    /** Tries again what failed in the operation that this file was in. */
    retry: async (file: string) => {
      const operation = files.get(file)?.operation
      if (!operation) return
      await retryOperation(operation)
      for (const [id, own] of files) if (own.operation === operation && outcomes.get(id) !== DONE) outcomes.delete(id)
      void follow(operation)
    },
  }
}
