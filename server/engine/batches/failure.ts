// The engine's failure policy: which failed items are retried, when, and what a final failure means
// for the item.
import type { FailurePolicy, PluginKind, Warning } from '../../../plugins/contract.ts'
import type { ItemError, ResolvedStep, WorkItem } from '../types.ts'

export const MAX_ATTEMPTS = 3
const BACKOFF_MS = [1_000, 5_000]
// An origin that took this long will not be faster in a few seconds. A later Retry Failed may still
// help.
const PATIENCE_SECONDS = 20

/**
 * Milliseconds until the next attempt of an item whose failure may be temporary, or null if it has
 * failed for good.
 * @param attempt the attempt that just failed, from 1
 * @param seconds how long that attempt took
 */
export function retryDelay(attempt: number, seconds: number): number | null {
  if (attempt >= MAX_ATTEMPTS || seconds > PATIENCE_SECONDS) return null
  return BACKOFF_MS[attempt - 1] ?? BACKOFF_MS.at(-1)!
}

const KEPT_KINDS: readonly PluginKind[] = ['optimize', 'act']

/**
 * The step's own policy, or the default of its kind. Only an import can leave a file out. In a bulk
 * operation the file stays as it was, and its failure must be counted.
 */
export const policyOf = (step: ResolvedStep, item: WorkItem): FailurePolicy =>
  step.onFailure ??
  (item.entry !== null && KEPT_KINDS.includes(step.pluginImpl.kind) ? 'keep' : 'drop')

/** The item continues with the next step as if this step did not exist. */
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

const keptWarning = (title: string, { code, message, detail }: ItemError): Warning => ({
  code,
  message: `The step “${title}” failed, so the file was kept as it was: ${detail ? `${message} (${detail})` : message}`,
})
