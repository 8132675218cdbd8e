// What is made or asked once: objects whose fields are made when they are first read, work that
// concurrent callers share, and values that are kept for a while. Also the checked reads of lists.

// Most fields of such an object are never read.

export type Makers<T> = { readonly [Name in keyof T]: () => T[Name] }

/** Each field is made once. Spreading the object makes all of them: use `withFields`. */
export function lazy<T extends object>(makers: Makers<T>): T {
  const object = {} as T
  for (const [name, make] of Object.entries<() => unknown>(makers)) {
    let made: { value: unknown } | undefined
    const get = () => (made ??= { value: make() }).value
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true })
  }
  return object
}

/** The fields of both, without reading them. */
export const withFields = <A extends object, B extends object>(first: A, second: B): A & B =>
  Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors(first),
    ...Object.getOwnPropertyDescriptors(second),
  } as PropertyDescriptorMap) as A & B

// For values that must be there although the compiler cannot know it: an absent one is a defect of
// this program, which these name where it is met.

/** The value. Throws, with its name, if it is null or undefined. */
export function present<T>(value: T, name: string): NonNullable<T> {
  if (value === null || value === undefined) throw new Error(`${name} is missing`)
  return value
}

/** The first element of a list that is never empty, such as the rows of `returning`. */
export function firstOf<T>(list: readonly T[]): T {
  if (list.length === 0) throw new Error('The list is empty; one element was expected')
  return list[0] as T
}

/** The last element of a list that is never empty. */
export function lastOf<T>(list: readonly T[]): T {
  return firstOf(list.slice(-1))
}

/** The element at an index that is within the list. */
export function elementAt<T>(list: readonly T[], index: number): T {
  if (!(index in list)) throw new RangeError(`The list has no element ${index}`)
  return list[index] as T
}

/** The elements of two lists of the same length, in pairs: such as questions and their answers. */
export function zip<A, B>(list: readonly A[], others: readonly B[]): [A, B][] {
  if (list.length !== others.length)
    throw new Error(`Lists of ${list.length} and ${others.length} elements have no pairs`)
  return list.map((element, at) => [element, elementAt(others, at)])
}

// Collects questions that arrive while a statement is running and asks them together in the next
// one. Under load one statement answers dozens of requests; a request that arrives alone is sent in
// the same turn of the event loop.

const QUESTIONS = 200
const STATEMENTS = 4

/**
 * A question waits at most this long for a running statement, which may itself be waiting for a row
 * lock.
 */
const MAX_WAIT_MS = 5

interface PendingQuestion<Question, Answer> {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * @param ask answers up to `size` questions, in their order.
 * @param limits `concurrency`: how many calls of `ask` may run concurrently.
 */
export function createQueryBatcher<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { size = QUESTIONS, concurrency = STATEMENTS } = {},
): (question: Question) => Promise<Answer> {
  const waiting: PendingQuestion<Question, Answer>[] = []
  let running = 0
  let timer: NodeJS.Timeout | null = null

  const send = () => {
    const batch = waiting.splice(0, size)
    running++
    ask(batch.map(({ question }) => question))
      .then((answers) => {
        for (const [{ resolve }, answer] of zip(batch, answers)) resolve(answer)
      })
      .catch((error: unknown) => batch.forEach(({ reject }) => reject(error)))
      .finally(() => {
        running--
        sendReady()
      })
  }
  const sendReady = () => {
    while (waiting.length > 0 && running < concurrency && (running === 0 || waiting.length >= size))
      send()
    if (waiting.length > 0 && running < concurrency) timer ??= setTimeout(sendLate, MAX_WAIT_MS)
  }
  const sendLate = () => {
    timer = null
    if (waiting.length > 0 && running < concurrency) send()
    sendReady()
  }
  return (question) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      // All questions of this turn of the event loop go into one statement.
      if (waiting.length === 1) setImmediate(sendReady)
    })
}

// Runs one call of a function at a time. Callers that arrive before the next run has begun share
// that run.

/** @param work must not reject. */
export function singleFlight(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  const begin = () => {
    next = null
    return work()
  }
  return () => (next ??= running = running.then(begin))
}

// A bounded map in memory whose entries expire.

export interface TtlCache<Value> {
  /** The value; undefined: never set, or expired. */
  get(name: string): Value | undefined
  /**
   * @param since when the value was valid, by performance.now(); its time to live starts then.
   */
  set(name: string, value: Value, since?: number): void
  delete(name: string): void
}

const MAX_ENTRIES = 10_000

/** @param ttlMs how long an entry is returned. */
export function createTtlCache<Value>(ttlMs: number): TtlCache<Value> {
  const entries = new Map<string, { value: Value; expiresAt: number }>()
  return {
    get: (name) => {
      const found = entries.get(name)
      return found && performance.now() < found.expiresAt ? found.value : undefined
    },
    set: (name, value, since = performance.now()) => {
      if (entries.size >= MAX_ENTRIES) entries.clear()
      entries.set(name, { value, expiresAt: since + ttlMs })
    },
    delete: (name) => void entries.delete(name),
  }
}
