// The engine's failure policy: which failed items are retried, when, and what a final failure means
// for the item.
import {
  say,
  textOf,
  type FailurePolicy,
  type PluginKind,
  type Step,
} from '../../plugins/contract/index.ts'
import { storedMessage, textsOfDetail } from '../core/texts.ts'
import { lastOf } from '../core/lazy.ts'
import type { ItemError, ResolvedStep, StoredWarning, WorkItem } from './types.ts'

export const MAX_ATTEMPTS = 3
/** What a step may state: the most tries, and the longest pause between two of them in seconds. */
export const MAX_TRIES = 10
export const MAX_PAUSE_SECONDS = 15 * 60
const BACKOFF_MS = [1_000, 5_000]
// No retry follows a longer attempt: its origin will not be faster in a few seconds. A later Retry
// Failed may still help. Three such waits for each of a thousand files would take an hour.
const SLOW_ATTEMPT_SECONDS = 20
// The longest wait for one item: beyond it the item fails, with the time in its message.
const MAX_WAIT_SECONDS = MAX_PAUSE_SECONDS

/**
 * Milliseconds until the next attempt of an item whose failure may be temporary, or null if it has
 * failed for good.
 * @param attempt the attempt that just failed, from 1
 * @param seconds how long that attempt took
 * @param retryAfter seconds that the external system asked to wait; null: not stated
 * @param stated the tries and the pause of the step
 */
export function retryDelay(
  attempt: number,
  seconds: number,
  retryAfter: number | null = null,
  { tries, pause }: Pick<Step, 'tries' | 'pause'> = {},
): number | null {
  if (attempt >= (tries ?? MAX_ATTEMPTS)) return null
  const backoff =
    pause === undefined ? (BACKOFF_MS[attempt - 1] ?? lastOf(BACKOFF_MS)) : pause * 1000
  // A stated time says when another attempt helps, however long this one took.
  if (retryAfter !== null)
    return retryAfter > MAX_WAIT_SECONDS ? null : Math.max(backoff, retryAfter * 1000)
  return tries === undefined && seconds > SLOW_ATTEMPT_SECONDS ? null : backoff
}

/** The most attempts of an item with these steps, if no worker dies. */
export const mostAttempts = (steps: readonly Step[]): number =>
  Math.max(MAX_ATTEMPTS, ...steps.map(({ tries = 0 }) => tries))

const KEPT_KINDS: readonly PluginKind[] = ['optimize', 'act']

/**
 * What a failure of this step means for the item: the step's own policy, or the default of its
 * kind. Only an import can leave a file out. In a bulk operation the file stays as it was, and its
 * failure must be counted.
 */
export const policyOf = (step: ResolvedStep, item: WorkItem): FailurePolicy =>
  step.onFailure ??
  (item.entry !== null && KEPT_KINDS.includes(step.pluginImpl.kind) ? 'keep' : 'drop')

/** Lets the item continue with the next step as if this one did not exist, with a warning. */
export function keepAsItWas(
  item: WorkItem,
  step: ResolvedStep,
  index: number,
  error: ItemError,
): void {
  item.step = index + 1
  item.warnings.push(keptWarning(step.pluginImpl.title, error))
  // Warnings are not stored between attempts: an interrupted item runs this step again.
  item.resume = { ...item.resume, final: true }
}

function keptWarning(title: string, error: ItemError): StoredWarning {
  const { message, detail } = textsOfDetail(error)
  const reason =
    detail === undefined
      ? textOf(message)
      : say('{reason} ({detail})', { reason: textOf(message), detail: textOf(detail) })
  const text = say('The step “{title}” failed, so the file was kept as it was: {reason}', {
    title: textOf(title),
    reason,
  })
  return { code: error.code, ...storedMessage(text) }
}
