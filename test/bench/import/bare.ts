// The reference for imports: the minimum that a program has to do, in the same Node. 16 concurrent
// files: fetch, hash while writing a temporary file, sync, rename, one INSERT per file. No checks,
// mapping, counts or resume.
import { mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import { once } from 'node:events'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import pg from 'pg'
import { Agent, request } from 'undici'

const CONCURRENCY = 16

export interface BareJob {
  urls: string[]
  folder: string
}

const { databaseUrl } = JSON.parse(process.argv[2]!) as { databaseUrl: string }
const pool = new pg.Pool({ connectionString: databaseUrl, max: CONCURRENCY })
pool.on('error', () => {})
await pool.query(
  `create table if not exists bare_files (id bigint generated always as identity primary key,
    name text, hash text, size bigint)`,
)
const dispatcher = new Agent({ connections: CONCURRENCY })

async function fetchOne(url: string, folder: string, number: number): Promise<void> {
  const { statusCode, body } = await request(url, { dispatcher })
  if (statusCode !== 200) throw new Error(`${url} was answered ${statusCode}`)
  const temporary = path.join(folder, `${number}.part`)
  const hasher = new Blake3Hasher()
  const file = await open(temporary, 'w')
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    hasher.update(chunk)
    await file.write(chunk)
    size += chunk.length
  }
  await file.sync()
  await file.close()
  const hash = hasher.digest('hex')
  await rename(temporary, path.join(folder, hash))
  await pool.query('insert into bare_files (name, hash, size) values ($1, $2, $3)', [
    url,
    hash,
    size,
  ])
}

/** Returns milliseconds. */
async function run({ urls, folder }: BareJob): Promise<number> {
  await mkdir(folder, { recursive: true })
  const started = performance.now()
  let next = 0
  const lane = async () => {
    while (next < urls.length) {
      const number = next++
      await fetchOne(urls[number]!, folder, number)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  return performance.now() - started
}

process.on('message', (job: BareJob) => void run(job).then((ms) => process.send!(ms)))
process.send!('ready')
await once(process, 'disconnect')
await pool.end()
await dispatcher.close()
