// Loaded before the server (`--import`): replaces modules by those with counters, and appends what
// they report to a file of this process: lines of `time id` for a block that was entered, and
// `time id kind` for what a function gave back, each once in an interval.
import { appendFileSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { threadId } from 'node:worker_threads'
import { kindOf } from './kinds.ts'

const INTERVAL_MS = 50
const folder = process.env.MEASURE_FOLDER!
const modules = new Map(
  Object.entries(
    JSON.parse(readFileSync(path.join(folder, 'modules.json'), 'utf8')) as Record<string, string>,
  ),
)
const log = path.join(folder, `${process.pid}-${threadId}.log`)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const source = modules.get(url)
    return source === undefined ? loaded : { ...loaded, source }
  },
})

let seen = new Set<string>()
let lines = ''
const note = (what: string) => {
  if (seen.has(what)) return
  seen.add(what)
  lines += `${Date.now()} ${what}\n`
}
const flush = () => {
  if (lines !== '') appendFileSync(log, lines)
  lines = ''
  seen = new Set()
}
setInterval(flush, INTERVAL_MS).unref()
process.on('exit', flush)

const counters = {
  __ran: (id: number): void => note(String(id)),
  /** `asIs`: the function only passes on what it was given. */
  __gave<T>(id: number, value: T, asIs = false): T {
    if (asIs) note(`${id} n`)
    else if (value instanceof Promise)
      value.then(
        (settled) => note(`${id} ${kindOf(settled)}`),
        () => {},
      )
    else note(`${id} ${kindOf(value)}`)
    return value
  },
}
Object.assign(globalThis, counters)
