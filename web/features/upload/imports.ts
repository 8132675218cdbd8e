// The imports of uploaded files: each is imported while others of its batch are still being sent. A
// batch has one import, which is followed to its end, even after a reload.
import { retryOperation, startBatch } from './calls.ts'
import {
  createFollower,
  followedBatch,
  followOperation,
  type ImportState,
  readAgain,
  retryTemporary,
} from './follow-imports.ts'
import { type ArrivedUpload } from './outcomes.ts'
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

interface Listener {
  onChange: () => void
  /** Called with the batches that have not ended, to be followed after a reload. */
  onBatches: (batches: readonly string[]) => void
}

export class Imports {
  readonly #state: ImportState = {
    batches: new Map(),
    files: new Map(),
    outcomes: new Map(),
    closed: new Set(),
    retrying: new Set(),
  }
  readonly #errors = new Map<string, Error>()
  readonly #onChange: () => void
  readonly #poll: () => Promise<void>

  constructor(listener: Listener) {
    this.#onChange = listener.onChange
    this.#poll = createFollower(this.#state, listener)
  }

  outcome(file: string): Outcome | undefined {
    return this.#state.outcomes.get(file)
  }

  /** Has the file arrived, so that its import decides its outcome? */
  has(file: string): boolean {
    return this.#state.files.has(file)
  }

  list(): Import[] {
    return importsOf(this.#state)
  }

  /** Batches that could not be imported, each with the reason. */
  errors(): [batch: string, error: Error][] {
    return [...this.#errors]
  }

  arrived(some: readonly ArrivedUpload[]): void {
    for (const file of some) {
      this.#state.files.set(file.id, { ...file, operation: null })
      followedBatch(this.#state, file.batch).ended = false
    }
    void this.#poll()
  }

  /** Follows batches that an earlier visit began. */
  follow(earlier: readonly string[]): void {
    for (const batch of earlier) followedBatch(this.#state, batch)
    void this.#poll()
  }

  /** No more files of the batch arrive: its import ends. Idempotent. */
  async close(batch: string): Promise<void> {
    const { closed } = this.#state
    if (closed.has(batch)) return
    closed.add(batch)
    try {
      const { id } = await retryTemporary(() => startBatch(batch))
      followOperation(this.#state, batch, id)
      void this.#poll()
    } catch (error) {
      this.#errors.set(batch, error as Error)
    }
    this.#onChange()
  }

  /** More files of a closed batch arrive. */
  reopen(batch: string): void {
    if (!this.#errors.has(batch)) this.#state.closed.delete(batch)
  }

  /** Forgets the error of a batch, so that closing it is tried again. */
  forgive(batch: string): void {
    this.#errors.delete(batch)
    this.#state.closed.delete(batch)
    this.#onChange()
  }

  /** Retries the operations of these files, each once, as soon as it has ended. Throws `ApiError`. */
  async retry(some: readonly string[]): Promise<void> {
    await retryOperationsOf(this.#state, some)
    void this.#poll()
  }

  /** The products of these files have changed. Throws `ApiError`. */
  async readAgain(some: readonly string[]): Promise<void> {
    await readAgain(this.#state, some)
    this.#onChange()
  }

  /** The files were removed from the queue: their ids may be used again. */
  forget(some: readonly string[]): void {
    for (const id of some) {
      this.#state.files.delete(id)
      this.#state.outcomes.delete(id)
    }
  }
}

const importsOf = ({ batches, files, outcomes }: ImportState): Import[] =>
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
    }))

async function retryOperationsOf(state: ImportState, some: readonly string[]): Promise<void> {
  const { files, outcomes, retrying } = state
  const wanted = new Map<string, string>()
  for (const id of some) {
    const file = files.get(id)
    if (file?.operation) wanted.set(file.operation, file.batch)
  }
  for (const [operation, id] of wanted) {
    const batch = followedBatch(state, id)
    const known = batch.operations.get(operation)
    if (known?.ended === false) retrying.add(operation)
    else await retryOperation(operation)
    batch.operations.set(operation, { ended: false, done: known?.done ?? 0 })
    batch.ended = false
    for (const file of files.values())
      if (file.operation === operation && isRetried(outcomes.get(file.id))) outcomes.delete(file.id)
  }
}

/** A file whose name is taken needs a decision by the merchant instead. */
const isRetried = (outcome: Outcome | undefined): boolean =>
  outcome?.status === 'failed' && outcome.code !== 'duplicate_filename'
