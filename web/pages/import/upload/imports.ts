// The imports of uploaded files: each is imported while others of its batch are still being sent. A
// batch has one import, which is followed to its end, even after a reload.
import { ApiError } from '../../../client/error.ts'
import { hasEnded } from '../../../client/operations.ts'
import {
  readBatch,
  readOperation,
  readResults,
  retryOperation,
  startBatch,
} from '../../../client/uploads.ts'
import { type Arrived, outcomeOf, unknownOutcome } from './outcomes.ts'
import { type Outcome } from './rows.ts'

export interface Import {
  /** The batch's id. */
  batch: string
  /** The newest of its operations; null: none is known yet. */
  operation: string | null
  ended: boolean
  /** The number of imported files. */
  done: number
  /** The number of failed files in the queue. */
  failed: number
}

interface Followed {
  operations: Map<string, { ended: boolean; done: number }>
  ended: boolean
}

const LOOK_MS = 1500
/** Operations are read with every second poll. */
const OPERATIONS_EVERY = 2
const RESULT_BATCH = 200
const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_MS))

/** Retries temporary errors such as a lost network. Throws other errors. */
async function retryTemporary<T>(work: () => Promise<T>): Promise<T> {
  while (true)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ApiError && error.passing)) throw error
      await pause()
    }
}

export type Imports = ReturnType<typeof createImports>

/** `onBatches`: called with the batches that have not ended, to be followed after a reload. */
export function createImports(
  onChange: () => void,
  onBatches: (batches: readonly string[]) => void,
) {
  const batches = new Map<string, Followed>()
  const outcomes = new Map<string, Outcome>()
  const files = new Map<string, Arrived & { operation: string | null }>()
  /** Batches whose imports were closed. */
  const closed = new Set<string>()
  /** Operations to retry when they have ended. */
  const again = new Set<string>()
  const errors = new Map<string, Error>()
  let looking = false

  function followedOf(batch: string): Followed {
    let followed = batches.get(batch)
    if (!followed) batches.set(batch, (followed = { operations: new Map(), ended: false }))
    return followed
  }
  const note = (batch: string, operation: string) => {
    const followed = followedOf(batch)
    if (followed.operations.has(operation)) return
    followed.operations.set(operation, { ended: false, done: 0 })
    followed.ended = false
  }
  const waiting = () =>
    [...files.values()].filter(({ id, operation }) => !outcomes.has(id) && !again.has(operation!))
  const open = () => [...batches].filter(([, { ended }]) => !ended)

  async function look(): Promise<void> {
    if (looking) return
    looking = true
    for (let turn = 0; open().length > 0 || waiting().length > 0; turn++) {
      await lookAtFiles()
      if (turn % OPERATIONS_EVERY === 0 || waiting().length === 0)
        for (const [batch, followed] of open()) await lookAtBatch(batch, followed)
      onBatches(open().map(([batch]) => batch))
      onChange()
      if (open().length > 0 || waiting().length > 0) await pause()
    }
    looking = false
  }

  async function lookAtFiles(): Promise<void> {
    const some = waiting().slice(0, RESULT_BATCH)
    if (some.length === 0) return
    const record = (file: Arrived, outcome: Outcome | null) => {
      // The file may have been removed from the queue while the answer was loading.
      if (outcome && files.has(file.id)) outcomes.set(file.id, outcome)
    }
    try {
      const results = await retryTemporary(() => readResults(some.map(({ upload }) => upload)))
      for (const file of some) {
        const result = results.get(file.upload)
        if (result?.operation_id) {
          note(file.batch, result.operation_id)
          file.operation = result.operation_id
        }
        record(file, outcomeOf(result))
      }
    } catch (error) {
      for (const file of some) record(file, unknownOutcome(error as Error))
    }
  }

  /** A batch that can't be read is followed no more. */
  async function lookAtBatch(batch: string, followed: Followed): Promise<void> {
    try {
      if (followed.operations.size === 0)
        for (const id of (await retryTemporary(() => readBatch(batch))).operation_ids)
          note(batch, id)
      for (const [id, known] of followed.operations)
        if (!known.ended) await lookAtOperation(id, known)
    } catch {
      for (const known of followed.operations.values()) known.ended = true
    }
    const all = [...followed.operations.values()]
    const left = waiting().some((file) => file.batch === batch)
    followed.ended =
      all.every(({ ended }) => ended) && !left && (all.length > 0 || !closed.has(batch))
  }

  async function lookAtOperation(
    id: string,
    known: { ended: boolean; done: number },
  ): Promise<void> {
    const operation = await retryTemporary(() => readOperation(id))
    known.done = operation.done
    known.ended = hasEnded(operation)
    if (!known.ended || !again.delete(id)) return
    await retryTemporary(() => retryOperation(id))
    known.ended = false
  }

  return {
    outcome: (file: string) => outcomes.get(file),
    /** Has this file arrived, so that what comes of it is its import's? */
    has: (file: string) => files.has(file),
    list: (): Import[] =>
      [...batches]
        .filter(([, { operations }]) => operations.size > 0)
        .map(([batch, { operations, ended }]) => ({
          batch,
          operation: [...operations.keys()].at(-1) ?? null,
          ended,
          done: [...operations.values()].reduce((sum, { done }) => sum + done, 0),
          failed: [...files.values()].filter(
            (file) => file.batch === batch && outcomes.get(file.id)?.status === 'failed',
          ).length,
        })),
    /** Batches that could not be imported, each with the reason. */
    errors: () => [...errors],
    arrived: (some: readonly Arrived[]) => {
      for (const file of some) {
        files.set(file.id, { ...file, operation: null })
        followedOf(file.batch).ended = false
      }
      void look()
    },
    /** Batches that an earlier visit had begun. */
    follow: (earlier: readonly string[]) => {
      for (const batch of earlier) followedOf(batch)
      void look()
    },
    /**
     * Nothing more of it comes: what is there is imported, and the import ends. Asked again, it
     * does nothing.
     */
    close: async (batch: string) => {
      if (closed.has(batch)) return
      closed.add(batch)
      try {
        note(batch, (await retryTemporary(() => startBatch(batch))).id)
        void look()
      } catch (error) {
        errors.set(batch, error as Error)
      }
      onChange()
    },
    /** More of it comes after all. */
    reopen: (batch: string) => void (errors.has(batch) || closed.delete(batch)),
    /** What could not be started may be tried again. */
    forgive: (batch: string) => {
      errors.delete(batch)
      closed.delete(batch)
      onChange()
    },
    /**
     * Tries again what failed in the operations that these files were in: in each of them once, as
     * soon as it has ended. Throws `ApiError`.
     */
    retry: async (some: readonly string[]) => {
      const wanted = new Map<string, string>()
      for (const id of some) {
        const file = files.get(id)
        if (file?.operation) wanted.set(file.operation, file.batch)
      }
      for (const [operation, batch] of wanted) {
        const followed = followedOf(batch)
        if (followed.operations.get(operation)?.ended === false) again.add(operation)
        else await retryOperation(operation)
        followed.operations.set(operation, {
          ended: false,
          done: followed.operations.get(operation)?.done ?? 0,
        })
        followed.ended = false
        for (const file of files.values())
          if (file.operation === operation && isOpen(outcomes.get(file.id)))
            outcomes.delete(file.id)
      }
      void look()
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

/**
 * May another try end otherwise? One whose name is taken stays as it is until somebody says what
 * becomes of it.
 */
const isOpen = (outcome: Outcome | undefined): boolean =>
  outcome?.status === 'failed' && outcome.code !== 'duplicate_filename'
