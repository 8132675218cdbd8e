// Checks that a remote can be listed: reads its root until the first entry or the end.
import { PATIENCE, type RunOptions } from './listing.ts'
import { rootPath, type Remote } from './remote.ts'
import { runRclone } from './run.ts'

const PROBE_MS = 40_000

/** Checks that the root can be listed. Throws `CloudError`, or the reason of `signal`. */
export async function probeRoot(
  program: string,
  remote: Remote,
  { environment, signal }: RunOptions,
): Promise<void> {
  const enough = new AbortController()
  try {
    await runRclone(program, {
      environment,
      signal: AbortSignal.any([signal, enough.signal]),
      command: ['lsjson', '--no-mimetype', '--no-modtime', ...PATIENCE],
      paths: [rootPath(remote)],
      remote: remote.settings,
      timeoutMs: PROBE_MS,
      onLine: (line) => {
        if (line.startsWith('{')) enough.abort()
      },
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!enough.signal.aborted) throw error
  }
}
