// A pool of limited children that are reused: starting one costs as much as a small piece of work.
// A few run concurrently for all callers. Each child serves one shop, and only for a limited time,
// because an opened file may have left something in its memory.
import { PortError } from '../../../plugins/contract/index.ts'
import { createSemaphore } from '../../core/body-budget.ts'
import {
  startLimitedChild,
  type ChildSpec,
  type LimitedChild,
  type Question,
} from './limited-child.ts'

export interface PoolSpec extends ChildSpec {
  concurrency: number
  /** A child is replaced after this many pieces of work. */
  uses: number
  /** A child that is idle for this long is ended. */
  idleMs: number
}

export interface ChildPool {
  /**
   * Waits for a place, then asks a child that has served only this shop. The time limit starts with
   * the place. Throws as `LimitedChild.ask` does.
   */
  ask<Answer>(shop: number, question: Question<Answer>): Promise<Answer>
  close(): void
}

interface PoolChild {
  shop: number
  child: LimitedChild
  uses: number
  timer?: NodeJS.Timeout
}

export function createChildPool(wanted: PoolSpec): ChildPool {
  const semaphore = createSemaphore(wanted.concurrency)
  const idle = new Set<PoolChild>()
  const start = (shop: number): PoolChild => ({ shop, child: startLimitedChild(wanted), uses: 0 })
  const end = (kept: PoolChild) => {
    clearTimeout(kept.timer)
    idle.delete(kept)
    kept.child.close()
  }
  const take = (shop: number): PoolChild => {
    for (const kept of idle) {
      const fits = kept.shop === shop && kept.child.alive
      if (!fits) continue
      clearTimeout(kept.timer)
      idle.delete(kept)
      return kept
    }
    // A child of another shop would stay idle.
    for (const kept of idle) end(kept)
    return start(shop)
  }
  const giveBack = (kept: PoolChild) => {
    if (!kept.child.alive || ++kept.uses >= wanted.uses) return end(kept)
    kept.timer = setTimeout(() => end(kept), wanted.idleMs).unref()
    idle.add(kept)
  }
  const work = async <Answer>(kept: PoolChild, question: Question<Answer>): Promise<Answer> => {
    try {
      return await kept.child.ask(question)
    } finally {
      giveBack(kept)
    }
  }
  return {
    ask: async (shop, question) => {
      const release = await semaphore.acquire(question.signal)
      try {
        const kept = take(shop)
        const used = kept.uses > 0
        return await work(kept, question).catch((error: unknown) => {
          // The failure may come from the child's earlier work: this piece gets a new child.
          if (!used || !isProcessDeath(error)) throw error
          return work(start(shop), question)
        })
      } finally {
        release()
      }
    },
    close: () => {
      for (const kept of idle) end(kept)
    },
  }
}

const isProcessDeath = (error: unknown) =>
  error instanceof PortError &&
  (error.code === 'memory_limit' || error.code === 'processor_crashed')
