// Polls the results of uploaded files and the operations of their batches until all have ended.
import { ApiError, isLasting, waitOf } from '../../shell/client/error.ts'
import { hasEnded } from '../operations/calls.ts'
import { readBatch, readOperation, readResults, retryOperation } from './calls.ts'
import { type ArrivedUpload, outcomeOf, unknownOutcome } from './outcomes.ts'
import { type Outcome } from './rows.ts'

interface FollowedOperation {
  ended: boolean
  done: number
}

interface FollowedBatch {
  operations: Map<string, FollowedOperation>
  ended: boolean
}

export interface ImportState {
  batches: Map<string, FollowedBatch>
  /** The arrived files, by their ids in the queue. */
  files: Map<string, ArrivedUpload & { operation: string | null }>
  outcomes: Map<string, Outcome>
  /** Batches whose imports were closed. */
  closed: Set<string>
  /** Operations to retry when they have ended. */
  retrying: Set<string>
}

const POLL_MS = 1500
/** Operations are read with every second poll. */
const OPERATIONS_EVERY = 2
const RESULT_BATCH = 200
const pause = (ms = POLL_MS) => new Promise((resolve) => setTimeout(resolve, ms))

/** Retries temporary errors such as a lost network. Throws other errors. */
export async function retryTemporary<T>(work: () => Promise<T>): Promise<T> {
  while (true)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ApiError && error.passing)) throw error
      await pause(Math.max(POLL_MS, waitOf(error)))
    }
}

/** How often a read that failed is repeated, with waits of 1.5 s to a minute: for five minutes. */
const READ_REPEATS = 9
const LONGEST_PAUSE_MS = 60_000

/**
 * Repeats a read that failed, also because of an error of the server: one such answer says nothing about
 * the files. Throws what would be answered again, and what has failed too often.
 */
export async function repeatRead<T>(read: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++)
    try {
      return await retryTemporary(read)
    } catch (error) {
      if (isLasting(error as Error) || failures === READ_REPEATS) throw error
      await pause(Math.min(LONGEST_PAUSE_MS, POLL_MS * 2 ** failures))
    }
}

export function followedBatch({ batches }: ImportState, id: string): FollowedBatch {
  let batch = batches.get(id)
  if (!batch) batches.set(id, (batch = { operations: new Map(), ended: false }))
  return batch
}

/** Adds an operation to its batch, which is then followed until the operation has ended. */
export function followOperation(state: ImportState, batch: string, operation: string): void {
  const followed = followedBatch(state, batch)
  if (followed.operations.has(operation)) return
  followed.operations.set(operation, { ended: false, done: 0 })
  followed.ended = false
}

interface Listeners {
  onChange: () => void
  /** Called with the batches that have not ended, to be followed after a reload. */
  onBatches: (batches: readonly string[]) => void
}

/** Returns the function that starts polling, unless it is running. */
export function createFollower(state: ImportState, { onChange, onBatches }: Listeners) {
  let running = false
  return async (): Promise<void> => {
    if (running) return
    running = true
    for (let turn = 0; isOpen(state); turn++) {
      await readOutcomes(state)
      if (turn % OPERATIONS_EVERY === 0 || awaitedFiles(state).length === 0)
        for (const [id, batch] of openBatches(state)) await readOperations(state, id, batch)
      onBatches(openBatches(state).map(([id]) => id))
      onChange()
      if (isOpen(state)) await pause()
    }
    running = false
  }
}

/** Reads the products of these files again. Throws `ApiError`. */
export async function readAgain(state: ImportState, ids: readonly string[]): Promise<void> {
  const files = ids.flatMap((id) => state.files.get(id) ?? [])
  for (let at = 0; at < files.length; at += RESULT_BATCH) {
    const some = files.slice(at, at + RESULT_BATCH)
    const results = await retryTemporary(() => readResults(some.map(({ upload }) => upload)))
    for (const { id, upload } of some) {
      const outcome = outcomeOf(results.get(upload))
      if (outcome && state.files.has(id)) state.outcomes.set(id, outcome)
    }
  }
}

/** Waits until the operation has ended; returns whether it was successful. Throws `ApiError`. */
export async function untilEnded(id: string): Promise<boolean> {
  while (true) {
    const operation = await repeatRead(() => readOperation(id))
    if (hasEnded(operation)) return operation.status === 'success'
    await pause()
  }
}

const openBatches = ({ batches }: ImportState) => [...batches].filter(([, { ended }]) => !ended)

/** Files without an outcome, except those whose operation is retried first. */
const awaitedFiles = ({ files, outcomes, retrying }: ImportState) =>
  [...files.values()].filter(({ id, operation }) => !outcomes.has(id) && !retrying.has(operation!))

const isOpen = (state: ImportState): boolean =>
  openBatches(state).length > 0 || awaitedFiles(state).length > 0

async function readOutcomes(state: ImportState): Promise<void> {
  const some = awaitedFiles(state).slice(0, RESULT_BATCH)
  if (some.length === 0) return
  const record = (file: ArrivedUpload, outcome: Outcome | null) => {
    // The file may have been removed from the queue while the answer was loading.
    if (outcome && state.files.has(file.id)) state.outcomes.set(file.id, outcome)
  }
  try {
    const results = await repeatRead(() => readResults(some.map(({ upload }) => upload)))
    for (const file of some) {
      const result = results.get(file.upload)
      if (result?.operation_id) {
        followOperation(state, file.batch, result.operation_id)
        file.operation = result.operation_id
      }
      record(file, outcomeOf(result))
    }
  } catch (error) {
    for (const file of some) record(file, unknownOutcome(error as Error))
  }
}

/** A batch that can't be read is no longer followed. */
async function readOperations(state: ImportState, id: string, batch: FollowedBatch): Promise<void> {
  try {
    if (batch.operations.size === 0)
      for (const operation of (await repeatRead(() => readBatch(id))).operation_ids)
        followOperation(state, id, operation)
    for (const [operation, known] of batch.operations)
      if (!known.ended) await readState(state, operation, known)
  } catch {
    for (const known of batch.operations.values()) known.ended = true
  }
  const all = [...batch.operations.values()]
  const awaited = awaitedFiles(state).some((file) => file.batch === id)
  batch.ended =
    all.every(({ ended }) => ended) && !awaited && (all.length > 0 || !state.closed.has(id))
}

async function readState(state: ImportState, id: string, known: FollowedOperation): Promise<void> {
  const operation = await repeatRead(() => readOperation(id))
  known.done = operation.done
  known.ended = hasEnded(operation)
  if (!known.ended || !state.retrying.delete(id)) return
  await retryTemporary(() => retryOperation(id))
  known.ended = false
}
