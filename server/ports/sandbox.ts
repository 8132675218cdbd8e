// Work on untrusted files, for plugins: a plugin's script runs in a limited child process that
// serves only one shop. Children are reused, because starting one costs as much as a small piece of
// work.
import { availableParallelism } from 'node:os'
import { PortError, type Sandbox, type SandboxLimits } from '../../plugins/contract/index.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { createChildPool, type ChildPool } from './children/child-pool.ts'
import { withinBytes } from './children/work-folder.ts'

export interface Sandboxes {
  /** The port of one shop. */
  of(shop: number): Sandbox
  close(): void
}

/**
 * The sandboxes of this process: one pool of children for each script, shared by all shops. Failures
 * of a script that are no refusal of the file are logged with their stack.
 */
export function createSandboxes(log: Logger): Sandboxes {
  const pools = new Map<string, ChildPool>()
  const poolOf = (script: URL, limits: SandboxLimits): ChildPool => {
    const pool =
      pools.get(script.href) ??
      createChildPool({ script, ...limits, concurrency: processLimit(limits) })
    pools.set(script.href, pool)
    return pool
  }
  return {
    of: (shop) => ({
      run: (script, { input, answer, limits, signal, within }) => {
        const ask = (stop: AbortSignal) =>
          poolOf(script, limits)
            .ask(shop, { input, answer, wallMs: limits.wallMs, signal: stop })
            .catch((error: unknown) => {
              logDefect(log, shop, script, error)
              throw error
            })
        if (!within) return ask(signal)
        const { folder, bytes, tooMuch } = within
        return withinBytes(folder, bytes, tooMuch, (full) => ask(AbortSignal.any([signal, full])))
      },
    }),
    close: () => {
      for (const pool of pools.values()) pool.close()
    },
  }
}

/** The merchant reads only that the plugin failed: the log has the reason. */
function logDefect(log: Logger, shop: number, script: URL, error: unknown): void {
  if (!(error instanceof PortError) || !DEFECTS.has(error.code) || error.retryable) return
  const { stack, error: reason } = errorFields(error.cause ?? error)
  const name = script.pathname.split('/').slice(-2).join('/')
  log.error('a script failed on a file', { shop, script: name, error: reason, stack })
}

const DEFECTS = new Set(['plugin_failed', 'processor_crashed'])

/** One more than the number of processors: it works while another child waits for its next file. */
const processLimit = ({ parallel }: SandboxLimits): number =>
  Math.min(availableParallelism() + 1, parallel)
