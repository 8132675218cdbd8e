// The outcome that a plugin gives for each item, and functions that yield outcomes.
import type {
  AccessRequest,
  Candidate,
  FileChange,
  GiveRequest,
  Item,
  NewLink,
  PostRequest,
  StagedBlob,
  StagedFile,
  Warning,
  EntrySource,
  UnpackedFile,
} from './item.ts'
import { english, type AnyText } from './text.ts'

/** What became of one item. A plugin gives exactly one outcome for each item. */
export type Outcome = { item: string } & Decision

/** An outcome without the id of its item. */
export type Decision =
  | {
      status: 'ok'
      change?: FileChange
      /** The bytes that become the file's new version. */
      bytes?: StagedBlob
      /** The version that `bytes` replaces is deleted when the undo window ends. */
      drop_previous?: boolean
      /**
       * Why there was nothing to do. Later steps run; if none of them does anything either, the
       * file counts as skipped for this reason. (`skipped` prevents later steps, and prevents an
       * import from creating the file.)
       */
      unchanged?: AnyText
      /** The item is done: later steps of the workflow leave it alone. */
      last?: true
      /**
       * New files, identified by the item and their place in this list, so that a second run makes
       * none twice. Later steps do not get them: docs/decisions/0020.
       */
      created?: readonly StagedFile[]
      /**
       * Of an import's entry: what its bytes contain. Each becomes an item of the import that goes
       * through all steps but the one that fetches; the entry itself makes no file. In a plan empty.
       */
      unpacked?: readonly UnpackedFile[]
      link?: NewLink
      /** Everyone whose paid delivery contains the file gets a mail about its new version. */
      buyers?: 'tell'
      /** Everyone who paid for a product of the file before it had the file gets it. */
      give?: GiveRequest
      /** Buyers who had access to the file in another app get links to it. */
      access?: AccessRequest
      /** The file is sent to a webhook of the shop. */
      post?: PostRequest
      candidates?: readonly Candidate[]
      /**
       * A virus scanner found something in its bytes: they are withheld. Or they are delivered again, for
       * this reason.
       */
      quarantine?: { found: string } | { released: string }
      warnings?: readonly Warning[]
    }
  | { status: 'skipped'; reason: AnyText }
  | Failure

/**
 * A failed item. `code` is one of the codes in server/core/errors.ts. `retryable` says that another
 * attempt could help; the engine decides when and how often.
 */
export interface Failure {
  status: 'failed'
  code: string
  message: AnyText
  /** Details for the merchant, in addition to the message: `The server answered 403`. */
  detail?: AnyText
  retryable: boolean
  /** Seconds that the external system asked to wait: the next attempt is not earlier. */
  retry_after?: number
  /** The attempt does not count: the external system refused it only because it serves others. */
  uncounted?: true
}

/**
 * Thrown by a port when an external system fails: the plugin turns it into a failed outcome with
 * `failed(item, error)`.
 */
export class PortError extends Error {
  readonly code: string
  retryable: boolean
  /** English, as `message` is. */
  readonly detail: string | undefined
  /** The message and the detail as they were given, for other languages. */
  readonly texts: { message: AnyText; detail?: AnyText }
  readonly retryAfter: number | undefined
  /** Whether the attempt does not count (`Failure.uncounted`). */
  uncounted = false
  /** @param options `retryAfter`: seconds that the system asked to wait. */
  constructor(
    code: string,
    message: AnyText,
    retryable: boolean,
    options?: ErrorOptions & { detail?: AnyText; retryAfter?: number },
  ) {
    super(english(message), options)
    this.name = 'PortError'
    this.code = code
    this.retryable = retryable
    const detail = options?.detail
    this.detail = detail === undefined ? undefined : english(detail)
    this.texts = { message, ...(detail === undefined ? {} : { detail }) }
    this.retryAfter = options?.retryAfter
  }
}

/**
 * The failed outcome of an item for an error of a port.
 * @throws every error that is not a `PortError`, because it is a defect of the plugin
 */
export function failed(item: Item, error: unknown): Outcome {
  if (!(error instanceof PortError)) throw error
  const { code, texts, retryable, retryAfter, uncounted } = error
  return {
    item: item.id,
    status: 'failed',
    code,
    ...texts,
    retryable,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    ...(uncounted ? { uncounted } : {}),
  }
}

/**
 * Makes a `plan` that decides about each item from its file and the options alone.
 * @param decide its last parameter is the shop's time zone, in which days begin
 * @throws the signal's reason when it aborts
 */
export const planEach = <Options>(
  decide: (item: Item, options: Options, timeZone: string) => Decision,
) =>
  async function* (
    items: readonly Item[],
    options: Options,
    { signal, shop }: { signal: AbortSignal; shop: { settings: { time_zone: string } } },
  ): AsyncGenerator<Outcome> {
    for (const item of items) {
      signal.throwIfAborted()
      yield { item: item.id, ...decide(item, options, shop.settings.time_zone) }
    }
  }

/**
 * Works on up to `limit` items concurrently. Starts no more when `signal` aborts.
 * @returns each result when it is ready, in no order
 * @throws the first error of `work`, or the signal's reason, after the running work has ended
 * Exported for tests.
 */
export async function* concurrently<T, R>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running = new Set<Promise<void>>()
  const finished: R[] = []
  const errors: unknown[] = []
  const waiting = items.values()
  let next = waiting.next()
  while (true) {
    while (!next.done && running.size < limit && errors.length === 0 && !signal.aborted) {
      const task: Promise<void> = work(next.value).then(
        (result) => void finished.push(result),
        (error: unknown) => void errors.push(error),
      )
      const tracked: Promise<void> = task.finally(() => running.delete(tracked))
      running.add(tracked)
      next = waiting.next()
    }
    while (finished.length > 0) yield* finished.splice(0)
    if (running.size > 0) await Promise.race(running)
    // All running work may have ended while the consumer was busy: start more.
    else if (next.done || errors.length > 0 || signal.aborted) break
  }
  if (errors.length > 0) throw errors[0]
  signal.throwIfAborted()
}

// Decides about the items of a batch concurrently, with a failed outcome for each error of a port.

/**
 * Decides about up to `limit` items concurrently. A `PortError` fails its item.
 * @returns one outcome for each item, in no order
 * @throws every other error, because it is a defect, and the signal's reason
 */
export const eachItem = (
  items: readonly Item[],
  limit: number,
  signal: AbortSignal,
  decide: (item: Item) => Promise<Decision>,
): AsyncGenerator<Outcome> =>
  concurrently(items, limit, signal, async (item): Promise<Outcome> => {
    try {
      return { item: item.id, ...(await decide(item)) }
    } catch (error) {
      return failed(item, error)
    }
  })

type SourceOf<Type extends EntrySource['type']> = Extract<EntrySource, { type: Type }>

/**
 * `eachItem` for the entries of an import with this type of source. Items without such a source are
 * skipped for the given reason.
 */
export const eachSource =
  <Type extends EntrySource['type']>(type: Type, reason: string) =>
  (
    items: readonly Item[],
    limit: number,
    signal: AbortSignal,
    decide: (source: SourceOf<Type>, item: Item) => Promise<Decision>,
  ): AsyncGenerator<Outcome> =>
    eachItem(items, limit, signal, async (item) =>
      item.entry?.source.type === type
        ? decide(item.entry.source as SourceOf<Type>, item)
        : { status: 'skipped', reason },
    )
