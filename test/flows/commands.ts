// Runs a command of the product for operators, as npm does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { baseEnv, ROOT, SECRET } from './server.ts'

const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

export interface CommandResult {
  code: number | null
  /** Standard output. */
  printed: string
  /** Standard error. */
  errors: string
}

/** @param env names the database and the data folder. */
export async function runCommand(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const [, script] = /^node (\S+)$/.exec(scripts[name] ?? '') ?? []
  if (script === undefined) throw new Error(`package.json has no command ${name}`)
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    env: { ...baseEnv(), APP_SECRET: SECRET, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (printed += String(chunk)))
  child.stderr.on('data', (chunk) => (errors += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed, errors }
}
