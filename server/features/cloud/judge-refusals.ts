// Distinguishes keys that a provider refuses from one object for which it refuses them.
import { KeysRefused } from './rclone/errors.ts'
import type { RemoteFiles } from './rclone/remote-files.ts'

/**
 * Returns what corrects the results of one run: if a listing works with the keys, a refusal of them is the
 * failure of its object. Lists once, after the first refusal.
 */
export function judgeRefusals(files: Pick<RemoteFiles, 'probe'>, signal: AbortSignal) {
  let keysWork: Promise<boolean> | null = null
  return async <Result extends { error?: Error }>(result: Result): Promise<Result> => {
    const { error } = result
    if (!(error instanceof KeysRefused)) return result
    keysWork ??= files.probe(signal).then(
      () => true,
      () => false,
    )
    return (await keysWork) ? { ...result, error: error.ofObject() } : result
  }
}
