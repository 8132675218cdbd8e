// Load from wrk, for rates only: it takes a third of the processor time of a Node client, which
// leaves more to the servers.
import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Load, LoadMeasurement } from './load.ts'

const run = promisify(execFile)

/** The same for all servers, so that their rates can be compared. */
const THREADS = 2

// Each thread uses one of the ports and starts at a different path.
const SCRIPT = `
local THREADS = ${THREADS}
local ports, paths, threads = {}, {}, {}
for port in string.gmatch(os.getenv("PORTS"), "%d+") do ports[#ports + 1] = port end
for path in io.lines(os.getenv("PATHS")) do paths[#paths + 1] = path end
function setup(thread)
  thread.addr = wrk.lookup("127.0.0.1", ports[#threads % #ports + 1])[1]
  thread:set("at", math.floor(#threads * #paths / THREADS))
  threads[#threads + 1] = thread
end
function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at], { Host = "bench", ["User-Agent"] = "bench" })
end
function done(summary)
  local errors = summary.errors
  io.write(string.format('\\n{"served":%d,"bytes":%d,"us":%d,"refused":%d,"broken":%d}', summary.requests - errors.status,
    summary.bytes, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`

interface Summary {
  served: number
  bytes: number
  us: number
  refused: number
  broken: number
}

/** Requests that are open when the time ends are not counted as served. */
export async function loadByWrk(
  wrk: string,
  folder: string,
  { ports, paths, connections }: Omit<Load, 'requests'>,
  seconds: number,
): Promise<LoadMeasurement> {
  const own = await mkdtemp(path.join(folder, 'wrk-'))
  const [script, list] = [path.join(own, 'load.lua'), path.join(own, 'paths')]
  await Promise.all([writeFile(script, SCRIPT), writeFile(list, paths.join('\n'))])
  const limits = ['-t', String(THREADS), '-c', String(connections), '-d', `${seconds}s`]
  const { stdout } = await run(wrk, [...limits, '-s', script, `http://127.0.0.1:${ports[0]}/`], {
    env: { PORTS: ports.join(' '), PATHS: list },
  })
  const summary = JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as Summary
  if (summary.broken > 0) throw new Error(`${summary.broken} connections failed`)
  const refused: LoadMeasurement['refused'] =
    summary.refused > 0 ? { '4xx and 5xx': summary.refused } : {}
  return { served: summary.served, bytes: summary.bytes, seconds: summary.us / 1e6, refused }
}
