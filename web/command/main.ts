#!/usr/bin/env node
// The command `stevedore`: reads its arguments, runs one of the commands, and ends with its code.
import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import { installationOf, isOpenToOthers, keyOf } from './access.ts'
import { openClient } from './client.ts'
import { COMMANDS, generalHelp } from './commands.ts'
import { listOption, type Command, type Context, type Values } from './context.ts'
import { StevedoreError } from './errors.ts'
import { errorLines, EXIT, exitCodeOf, UsageError, type ExitCode } from './exit.ts'
import { ownPackage } from './own-package.ts'
import type { System } from './places.ts'
import { runNewer } from './renewal.ts'
import { Requests } from './requests.ts'
import { listedShops, type ShopAccess } from './shops.ts'
import { Terminal } from './terminal.ts'

const COMMON = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  'key-file': { type: 'string' },
  shop: { type: 'string' },
} as const

async function main(args: readonly string[], terminal: (json: boolean) => Terminal) {
  const system: System = { platform: process.platform, env: process.env, home: homedir() }
  const [name = '--help', ...rest] = args
  const command = COMMANDS.get(name)
  if (name === '--version') {
    terminal(false).line(ownPackage()?.version ?? 'unknown')
    return EXIT.all
  }
  if (!command) {
    const help = generalHelp(system, ownPackage()?.stevedore?.url || null)
    const isAsked = ['--help', '-h', 'help'].includes(name)
    if (isAsked) terminal(false).raw(`${help}\n`)
    else terminal(false).note(`There is no command ${name}. See: stevedore --help`)
    return isAsked && args.length > 0 ? EXIT.all : EXIT.wrong
  }
  const { values, positionals } = parsed(command, rest)
  const shown = terminal(values.json === true)
  if (values.help === true) {
    shown.raw(`${command.help}\n`)
    return EXIT.all
  }
  return run(command, { given: positionals, values, system, terminal: shown })
}

function parsed(command: Command, args: string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({
      args,
      options: { ...COMMON, ...command.options },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function run(
  command: Command,
  about: Pick<Context, 'given' | 'values' | 'system' | 'terminal'>,
): Promise<ExitCode> {
  const { system, terminal } = about
  const accesses = await accessesOf(command, about)
  const [{ url }] = accesses
  for (const open of new Set(accesses.map((access) => access.url).filter(isOpenToOthers)))
    terminal.note(`The key is sent without encryption to ${open}: use its https address`)
  const newer = await newerBuild(url)
  if (newer !== null) {
    const running = runNewer(system, url, newer, process.argv.slice(2))
    if (running) return running
    terminal.note(`${url} has a newer command: install ${url}/stevedore.tgz again`)
  }
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const opened = accesses.map(({ name, ...access }) => ({
    name,
    url: access.url,
    ...openClient({
      ...access,
      signal: stop.signal,
      onRetry: ({ reason, waitMs }) =>
        terminal.note(`${reason}. Again in ${Math.ceil(waitMs / 1000)} s`),
    }),
  }))
  const [{ client, requests }] = opened as [(typeof opened)[number]]
  try {
    const parts = { client, requests, shops: opened }
    return await command.run({ ...about, ...parts, signal: stop.signal, readInput })
  } catch (error) {
    if (!stop.signal.aborted) throw error
    terminal.clear()
    terminal.note('Interrupted. Run the same command again to continue.')
    return EXIT.interrupted
  }
}

/** The shop of the key, those of a list, or shops that an agency's key names. Throws `UsageError`. */
async function accessesOf(
  { options }: Command,
  { system, values }: Pick<Context, 'system' | 'values'>,
): Promise<readonly [ShopAccess, ...ShopAccess[]]> {
  const [first, ...others] =
    (Object.hasOwn(options, 'shops') ? await listedShops(system, values) : null) ?? []
  if (first) return [first, ...others]
  const url = installationOf(system)
  const file = values['key-file']
  const key = await keyOf(system, url, typeof file === 'string' ? file : undefined)
  const [shop, ...shops] = listOption(values, 'shop')
  if (shop !== undefined && shops.length === 0) return [{ name: null, url, key, shop }]
  const named = (one: string): ShopAccess => ({ name: one, url, key, shop: one })
  return shop === undefined ? [{ name: null, url, key }] : [named(shop), ...shops.map(named)]
}

const REACHED_MS = 4000

/**
 * Finds out early whether the installation is there, and whether it serves another build of this
 * command than this one: null if not. That of another installation is not run.
 */
async function newerBuild(url: string): Promise<string | null> {
  const requests = new Requests({ url, key: '-', patience: REACHED_MS })
  const answer = await requests.send('/stevedore.tgz', { method: 'HEAD' })
  const build = /^"([0-9a-f]+)-/.exec(answer.headers.get('etag') ?? '')?.[1]
  const own = ownPackage()?.stevedore
  const isNewer = answer.ok && build !== undefined && own?.url === url && build !== own.build
  return isNewer ? build : null
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** A reader that ends early, such as `head`, is no fault. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.all)
  throw error
})

const open = (json: boolean) =>
  new Terminal({ out: process.stdout, error: process.stderr, input: process.stdin }, json)

process.exitCode = await main(process.argv.slice(2), open).catch((error: unknown) => {
  const terminal = open(false)
  for (const line of errorLines(error)) terminal.note(line)
  if (error instanceof StevedoreError && error.requestId !== null)
    terminal.note(`Request ${error.requestId}`)
  return exitCodeOf(error)
})
