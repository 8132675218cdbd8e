// The command as people run it: installed by npm from a server, as a child process with its own
// home folder and no registry.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Readable } from 'node:stream'
import type { RunningServer } from './server.ts'

const run = promisify(execFile)

export interface Ended {
  code: number | null
  out: string
  error: string
}

export interface InstalledCommand {
  /** Where it runs, and where relative paths begin. */
  folder: string
  home: string
  /** The folder of the installed package. */
  package: string
  run(args: readonly string[], env?: Record<string, string>): Promise<Ended>
  start(args: readonly string[], env?: Record<string, string>): ChildProcess
  /** Writes a file below `folder`. */
  write(name: string, content: string | Buffer): Promise<string>
  remove(): Promise<void>
}

/** A registry that does not answer: the package needs none. */
const NO_REGISTRY = 'http://127.0.0.1:9'

export async function installCommand(
  server: Pick<RunningServer, 'url' | 'apiKey'>,
): Promise<InstalledCommand> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-command-'))
  const home = path.join(folder, 'home')
  await mkdir(home)
  const own = { PATH: process.env.PATH ?? '', HOME: home, npm_config_registry: NO_REGISTRY }
  await writeFile(path.join(folder, 'package.json'), '{"private": true, "type": "module"}')
  await run('npm', ['install', '--no-audit', '--no-fund', `${server.url}/stevedore.tgz`], {
    cwd: folder,
    env: own,
  })
  const program = path.join(folder, 'node_modules/.bin/stevedore')
  const start: InstalledCommand['start'] = (args, env = {}) =>
    spawn(program, args, {
      cwd: folder,
      env: { ...own, STEVEDORE_KEY: server.apiKey, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    folder,
    home,
    package: path.join(folder, 'node_modules/stevedore'),
    start,
    run: async (args, env) => {
      const child = start(args, env)
      const [out, error] = [textOf(child.stdout!), textOf(child.stderr!)]
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
      return { code, out: out(), error: error() }
    },
    write: async (name, content) => {
      const place = path.join(folder, name)
      await mkdir(path.dirname(place), { recursive: true })
      await writeFile(place, content)
      return place
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Collects what a stream sends; the returned function gives all of it so far. */
function textOf(stream: Readable): () => string {
  let text = ''
  stream.on('data', (chunk) => (text += String(chunk)))
  return () => text
}

/** The JSON objects of an output, one a line. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
