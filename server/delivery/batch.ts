// Requests that come while a statement is on its way go together in the next one: under load a statement serves dozens,
// and alone a request waits for nobody.

/** What fits one statement of the hot path, and how many of a kind may be on their way at once. */
export const BATCH = 200
export const STATEMENTS = 4

/** So long at most does a request wait for the statement before it: that one may be waiting for a lock. */
const PATIENCE_MS = 5

interface Waiting<Question, Answer> {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * @param ask answers up to `size` questions in their order.
 * @param atOnce how many statements may be on their way.
 */
export function createBatch<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  size: number,
  atOnce: number,
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = []
  let running = 0
  let timer: NodeJS.Timeout | null = null

  const send = () => {
    const batch = waiting.splice(0, size)
    running++
    ask(batch.map(({ question }) => question))
      .then(
        (answers) => batch.forEach(({ resolve }, at) => resolve(answers[at]!)),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      )
      .finally(() => {
        running--
        next()
      })
  }
  const next = () => {
    while (waiting.length > 0 && running < atOnce && (running === 0 || waiting.length >= size)) send()
    if (waiting.length > 0 && running < atOnce) timer ??= setTimeout(late, PATIENCE_MS)
  }
  const late = () => {
    timer = null
    if (waiting.length > 0 && running < atOnce) send()
    next()
  }
  return (question) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      // All that have arrived in this turn of the event loop go together.
      if (waiting.length === 1) setImmediate(next)
    })
}
