// The worker's side of the outbox: delivers the messages of its jobs, sweeps those whose worker died,
// and sends the shops' batches of mails.
import { errorFields } from '../../core/log.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import type { OutboxJob } from '../../core/queue/queue.ts'
import { createStart, type OutboxParts } from './deliver.ts'
import { mailBatchTask } from './mail-batches.ts'
import { createMessageLimiter } from './message-limiter.ts'
import { staleMessageTask } from './stale-message-sweep.ts'

export interface Outbox {
  /** Delivers one message, and resolves when its result is recorded. */
  deliver(job: OutboxJob): Promise<void>
  /** Delivers one message for a job of the worker, and resolves when the job may end. */
  run(job: OutboxJob): Promise<void>
  /** The sweep of messages whose worker died, and the shops' batches of mails. */
  tasks: readonly BackgroundTask[]
  /**
   * Returns messages that were not handed over yet to the queue, and waits until the posts that
   * have no job any more are recorded; call it before the worker is stopped.
   */
  close(): Promise<void>
}

export function runOutbox(given: Omit<OutboxParts, 'signal'>): Outbox {
  const { database, deliverers, log } = given
  const stopping = new AbortController()
  const parts = { database, deliverers, log, signal: stopping.signal }
  const start = createStart(parts, createMessageLimiter())
  const detached = new Set<Promise<void>>()
  return {
    deliver: async (job) => (await start(job)).ended,
    run: async (job) => {
      const message = await start(job)
      if (!message.detached) return message.ended
      const ended = message.ended
        .catch((error: unknown) => log.error('a result was not recorded', errorFields(error)))
        .finally(() => detached.delete(ended))
      detached.add(ended)
    },
    tasks: [staleMessageTask(database, deliverers), mailBatchTask(parts)],
    close: async () => {
      stopping.abort(new Error('the worker is stopping'))
      await Promise.all(detached)
    },
  }
}
