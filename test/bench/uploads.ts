// `npm run bench uploads`: files sent as a browser sends them, to the server with its checks, locks
// and rows, compared with a minimal server of @tus/server with its file store; and the peak memory
// of the server process. The whole server runs as with `npm start`.
import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { Agent, request, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { jobUntilEnd } from '../flows/imports.ts'
import { startServer, type RunningServer } from '../flows/server.ts'
import { metadataOf } from '../uploads.ts'
import {
  compare,
  peakMegabytes,
  SERVER_FLAGS,
  startPart,
  type Bench,
  type Context,
  type Part,
  type Row,
} from './bench.ts'

const MB = 1_000_000
const KINDS = [
  { what: '1 × 1 GB', files: 1, size: 1000 * MB },
  { what: '100 × 5 MB', files: 100, size: 5 * MB },
] as const
type Kind = (typeof KINDS)[number]

const FLOOR = 0.95
const MEMORY_MB = 350
const MEMORY_SPREAD = 1.15
/** The number of concurrent uploads of the page. */
const CONCURRENCY = 4
const piece = randomBytes(1024 * 1024)

interface Target {
  url: string
  key?: string
  agent: Agent
}

/** One request. The body has `size` bytes and begins with a unique mark. */
function send(
  { url, key, agent }: Target,
  method: string,
  at: string,
  headers: Record<string, string | number>,
  size = 0,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(at, url),
      {
        method,
        agent,
        headers: {
          ...(key ? { authorization: `Bearer ${key}` } : {}),
          'tus-resumable': '1.0.0',
          'content-length': size,
          ...headers,
        },
      },
      (response) => {
        response.resume().once('end', () => resolve(response))
      },
    )
    sent.once('error', reject)
    const mark = randomBytes(Math.min(16, size))
    let left = size - mark.length
    const fill = () => {
      while (left > 0) {
        const next = left < piece.length ? piece.subarray(0, left) : piece
        left -= next.length
        if (!sent.write(next)) return void sent.once('drain', fill)
      }
      sent.end()
    }
    if (size > 0) sent.write(mark)
    fill()
  })
}

async function upload(target: Target, size: number, fields: Record<string, string>): Promise<void> {
  const headers = { 'upload-length': size, 'upload-metadata': metadataOf(fields) }
  const created = await send(target, 'POST', '/api/uploads', headers)
  if (created.statusCode !== 201)
    throw new Error(`${target.url} refused an upload: ${created.statusCode}`)
  const at = created.headers.location!
  const chunk = { 'upload-offset': 0, 'content-type': 'application/offset+octet-stream' }
  const patched = await send(target, 'PATCH', at, chunk, size)
  if (patched.statusCode !== 204 || Number(patched.headers['upload-offset']) !== size)
    throw new Error(`${target.url} refused a chunk: ${patched.statusCode}`)
}

/** MB per second of all files together. */
async function uploadAll(
  target: Target,
  { files, size }: Kind,
  fields: Record<string, string>,
): Promise<number> {
  const round = randomBytes(4).toString('hex')
  const started = performance.now()
  let next = 0
  const lane = async () => {
    while (next < files)
      await upload(target, size, { ...fields, filename: `${round}-${next++}.bin` })
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, files) }, lane))
  return (files * size) / MB / ((performance.now() - started) / 1000)
}

/**
 * The same into a batch that is imported afterwards, unmeasured. Throws unless every file is
 * imported.
 */
async function uploadOurs(server: RunningServer, agent: Agent, kind: Kind): Promise<number> {
  const created = await server.call('POST', '/api/uploads/batches', {
    notify: false,
    auto_map: false,
  })
  const { id: batch } = (await created.json()) as { id: string }
  const speed = await uploadAll({ url: server.url, key: server.apiKey, agent }, kind, { batch })
  const started = await server.call('POST', `/api/uploads/batches/${batch}/start`)
  const { id } = (await started.json()) as { id: string }
  const { status, done } = await jobUntilEnd(server, id)
  if (status !== 'success' || done !== kind.files)
    throw new Error(
      `An import of uploads ended as ${status}: ${done} of ${kind.files} imported\n${server.output()}`,
    )
  return speed
}

async function compareKind(
  {
    context,
    server,
    bare,
    agent,
  }: { context: Context; server: RunningServer; bare: Part; agent: Agent },
  kind: Kind,
): Promise<Row> {
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round <= context.rounds; round++) {
    context.say(`${kind.what}, round ${round} of ${context.rounds}`)
    const bareSpeed = await uploadAll({ url: String(bare.ready), agent }, kind, {})
    await emptied(path.join(context.folder, 'bare'))
    const oursSpeed = await uploadOurs(server, agent, kind)
    // The first round is warm-up.
    if (round === 0) continue
    theirs.push(bareSpeed)
    ours.push(oursSpeed)
  }
  return compare(`upload ${kind.what}`, 'MB/s', ours, theirs, { floor: FLOOR })
}

async function emptied(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(path.join(folder, name))
}

/** Peak memory of a new server that receives these uploads only. */
async function peakOf(
  context: Context,
  agent: Agent,
  name: string,
  kinds: readonly Kind[],
): Promise<number> {
  context.say(`memory of ${name}`)
  const server = await startServer({ dataDir: path.join(context.folder, 'memory') })
  try {
    for (const kind of kinds) await uploadOurs(server, agent, kind)
    return await peakMegabytes(server.child.pid!)
  } finally {
    await server.stop()
    await rm(server.dataDir, { recursive: true, force: true })
  }
}

async function memoryRows(context: Context, agent: Agent): Promise<Row[]> {
  const [large, small] = KINDS
  const one = await peakOf(context, agent, large.what, [large])
  const three = await peakOf(context, agent, '3 × 1 GB', [large, large, large])
  const many = await peakOf(context, agent, small.what, [small])
  const all = [one, three, many]
  return [
    compare('peak memory, 3 × 1 GB', 'MB', [three], [MEMORY_MB], { ceiling: 1 }),
    compare('peak memory, 100 × 5 MB', 'MB', [many], [MEMORY_MB], { ceiling: 1 }),
    compare('peak memory, highest against lowest', 'MB', [Math.max(...all)], [Math.min(...all)], {
      ceiling: MEMORY_SPREAD,
    }),
  ]
}

async function run(context: Context): Promise<Row[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  const server = await startServer({ dataDir: path.join(context.folder, 'data') })
  const bare = await startPart(
    new URL('./uploads/bare.ts', import.meta.url),
    { folder: path.join(context.folder, 'bare') },
    SERVER_FLAGS,
  )
  try {
    const rows: Row[] = []
    const kinds = context.brief ? KINDS.slice(0, 1) : KINDS
    for (const kind of kinds) rows.push(await compareKind({ context, server, bare, agent }, kind))
    if (context.brief) return rows
    await bare.stop()
    await server.stop()
    return [...rows, ...(await memoryRows(context, agent))]
  } finally {
    await bare.stop()
    await server.stop()
    agent.destroy()
  }
}

export const uploadsBench: Bench = { name: 'uploads', run }
