// Distinguishes keys that a provider refuses from one object for which it refuses them.
import { KeysRefused } from './rclone/errors.ts'
import type { RemoteFiles } from './rclone/remote-files.ts'

/** The keys may be exchanged while a run continues: a listing says nothing about later refusals. */
const VALID_MS = 2000

/**
 * Returns what corrects the results of one run: if a listing works with the keys, a refused signature is the
 * failure of its object. Lists after a refusal, at most once in two seconds. Other refusals of keys, as of
 * those that have expired, stay as they are: no object can be the reason.
 */
export function judgeRefusals(
  files: Pick<RemoteFiles, 'probe'>,
  signal: AbortSignal,
  clock: () => number = () => performance.now(),
) {
  let listed: { at: number; works: Promise<boolean> } | null = null
  return async <Result extends { error?: Error }>(result: Result): Promise<Result> => {
    const { error } = result
    const ofObject = error instanceof KeysRefused ? error.ofObject() : null
    if (ofObject === null) return result
    if (listed === null || clock() - listed.at > VALID_MS)
      listed = {
        at: clock(),
        works: files.probe(signal).then(
          () => true,
          () => false,
        ),
      }
    return (await listed.works) ? { ...result, error: ofObject } : result
  }
}
