// npx keeps the package of an address for ever. A command that it has kept is replaced by that of
// the installation, under an address that npx does not know yet.
import { spawn } from 'node:child_process'
import { EXIT, type ExitCode } from './exit.ts'
import type { System } from './places.ts'

/** Set for the newer command, so that two installations behind one address end. */
const RENEWED = 'STEVEDORE_RENEWED'

/**
 * Runs the command of this build instead, with the same arguments; null: npx does not run this one.
 */
export function runNewer(
  { env }: Pick<System, 'env'>,
  url: string,
  build: string,
  args: readonly string[],
): Promise<ExitCode> | null {
  const { npm_command: by, npm_execpath: npm } = env
  if (by !== 'exec' || !npm || env[RENEWED]) return null
  const from = `--package=${url}/stevedore.tgz?${build}`
  const child = spawn(process.execPath, [npm, 'exec', '--yes', from, '--', 'stevedore', ...args], {
    stdio: 'inherit',
    env: { ...env, [RENEWED]: '1' },
  })
  // Ctrl-C reaches both: this one waits for the other's end.
  process.on('SIGINT', () => {})
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve((code ?? EXIT.interrupted) as ExitCode))
  })
}
