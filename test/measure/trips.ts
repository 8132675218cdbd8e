// The trips through the product that `npm run measure` counts, each done by a client of a server
// whose modules have counters.
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startMailFake, type MailFake } from '../fakes/smtp.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import {
  makeDataDir,
  readDemo,
  removeDataDir,
  ROOT,
  startServer,
  type ServerProcess,
} from '../flows/server.ts'
import { WAIT_MS } from '../wait.ts'
import { Ids, instrument, type MeasuredModule } from './instrument.ts'
import { Judge, type Trip, type Verdict } from './verdicts.ts'

export interface TripFiles {
  name: string
  /** In the order of first use. */
  files: { file: string; verdict: Verdict }[]
}

/** The server does each twice: the first one fills caches and loads modules. */
const RUNS = 2
/** Long enough for what repeats: heartbeats, and sweeps of leases and jobs. */
const IDLE_MS = 30_000
/** A trip has ended when nothing but the work of an idle server ran for this time. */
const QUIET_MS = 3000
const EACH_MS = 100

interface House {
  server: ServerProcess
  origin: Origin
  mail: MailFake
  shopFront: string
  /** The SKU of a product whose files are imported and bought. */
  sku: string
}

interface Done {
  run: number
  /** What earlier trips of this run made. */
  made: { fileIds: string[]; link: string; page: string }
}

const until = async <T>(what: string, look: () => Promise<T | undefined> | T | undefined) => {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await delay(EACH_MS)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(`Waited in vain for ${what}`)
}

const mailTo = ({ mail }: House, address: string) =>
  until(`a mail to ${address}`, () => mail.mails.find(({ to }) => to.includes(address)))

async function call<T>({ server }: House, method: string, route: string, body?: object) {
  const answer = await server.call(method, route, body)
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

const fetched = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { headers })
  const { byteLength } = await answer.arrayBuffer()
  if (!answer.ok || byteLength === 0) throw new Error(`${url} was answered ${answer.status}`)
}

const MERCHANT = 'merchant@example.com'
const BROWSER = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (X11) Chrome/146.0' }

interface Step {
  name: string
  /** In the trip. */
  run: (house: House, done: Done) => Promise<unknown>
  /** Between trips, so that what it runs is not counted. */
  before?: (house: House, done: Done) => Promise<unknown>
  after?: (house: House, done: Done) => Promise<unknown>
}

const importOf = (house: House, names: readonly string[]) =>
  call<{ status: string; files: { file_id: string; product_mapped: boolean }[] }>(
    house,
    'POST',
    '/api/files/import',
    {
      notify: true,
      files: names.map((filename) => ({
        filename,
        url: `${house.origin.url}/bytes/5000/${randomUUID()}`,
        product_sku: house.sku,
      })),
    },
  )

const TRIPS: readonly Step[] = [
  {
    name: 'one API import',
    run: async (house, { run, made }) => {
      house.mail.mails.length = 0
      const { files } = await importOf(house, [`measured-${run}.pdf`])
      if (!files.every((file) => file.product_mapped)) throw new Error('It was not mapped')
      made.fileIds = files.map(({ file_id }) => file_id)
      await mailTo(house, MERCHANT)
    },
  },
  {
    name: 'one tag of 3 files',
    before: async (house, { run, made }) => {
      const { files } = await importOf(house, [`other-${run}.pdf`, `third-${run}.pdf`])
      made.fileIds.push(...files.map(({ file_id }) => file_id))
    },
    run: (house, { run, made }) =>
      call(house, 'PUT', '/api/files/bulk-update', {
        file_ids: made.fileIds,
        updates: { tags: [`measured ${run}`] },
      }),
  },
  {
    name: 'order, mail, mark',
    run: async (house, { run }) => {
      const body = { email: `buyer-${run}@example.com`, lines: [{ sku: house.sku, quantity: 1 }] }
      const answer = await fetch(`${house.shopFront}/demo/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(`The order was answered ${answer.status}`)
      await mailTo(house, body.email)
    },
    after: async (house, { made }) => {
      const { data } = await call<{ data: { url: string; order_name: string }[] }>(
        house,
        'GET',
        '/api/deliveries?limit=1',
      )
      made.page = data[0]!.url
      const number = data[0]!.order_name.slice(1)
      await until('the marked order', async () => {
        const answer = await fetch(`${house.shopFront}/demo/orders/${number}`)
        const { tags } = (await answer.json()) as { tags: string[] }
        return tags.length > 0 || undefined
      })
    },
  },
  { name: 'the buyer’s page', run: (_, { made }) => fetched(made.page, BROWSER) },
  {
    name: 'one link',
    run: async (house, { made }) => {
      const body = { file_ids: made.fileIds.slice(0, 1), download_limit: 5 }
      const { data } = await call<{ data: { url: string }[] }>(house, 'POST', '/api/links', body)
      made.link = data[0]!.url
    },
  },
  {
    name: 'one download',
    run: (_, { made }) => fetched(made.link, { 'user-agent': 'curl/8' }),
  },
]

/** What the processes of the server reported, read as it is written. */
class Report {
  readonly #folder: string
  #entries: { at: number; id: number; kind?: string }[] = []
  readonly #read = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  async #update(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.log'))
    for (const name of names) {
      const text = await readFile(path.join(this.#folder, name), 'utf8')
      const end = text.lastIndexOf('\n') + 1
      for (const line of text
        .slice(this.#read.get(name) ?? 0, end)
        .split('\n')
        .slice(0, -1)) {
        const [at, id, kind] = line.split(' ')
        this.#entries.push({ at: Number(at), id: Number(id), ...(kind ? { kind } : {}) })
      }
      this.#read.set(name, end)
    }
  }

  /** What ran since then, oldest first, without what was reported before. */
  async since(time: number) {
    await this.#update()
    this.#entries = this.#entries.filter(({ at }) => at >= time)
    return this.#entries.toSorted((a, b) => a.at - b.at)
  }
}

/** The modules of the product by file, with counters. */
export function instrumented(files: readonly { file: string; text: string }[]): MeasuredModule[] {
  const ids = new Ids()
  return files
    .filter(({ file }) => /^(?:server|plugins|workflows)\/.*\.ts$/.test(file))
    .map(({ file, text }) => instrument(file, text, ids))
}

/** Does the trips; `onTrip` gets each as it ends. */
export async function measureTrips(
  modules: readonly MeasuredModule[],
  onTrip: (trip: TripFiles) => void,
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-measured-'))
  const dataDir = await makeDataDir()
  const [origin, mail] = await Promise.all([startOrigin(), startMailFake()])
  await writeFile(
    path.join(folder, 'modules.json'),
    JSON.stringify(
      Object.fromEntries(
        modules.map(({ file, code }) => [pathToFileURL(path.join(ROOT, file)).href, code]),
      ),
    ),
  )
  const record = pathToFileURL(path.join(import.meta.dirname, 'record.ts')).href
  const env = {
    MEASURE_FOLDER: folder,
    NODE_OPTIONS: `--import=${record}`,
    SMTP_URL: mail.url,
  }
  const server = await startServer({ dataDir, env })
  try {
    const shopFront = (await readDemo(dataDir)).storefront.url
    const house = { server, origin, mail, shopFront, sku: 'EB-001' }
    await call(house, 'PATCH', '/api/settings', { recipients: [MERCHANT] })
    await doTrips(house, modules, new Report(folder), onTrip)
  } finally {
    await server.stop()
    await Promise.all([origin.close(), mail.close(), removeDataDir(dataDir)])
    await rm(folder, { recursive: true })
  }
}

async function doTrips(
  house: House,
  modules: readonly MeasuredModule[],
  report: Report,
  onTrip: (trip: TripFiles) => void,
): Promise<void> {
  const functions = new Map(
    modules.flatMap((one) => one.functions.map((fn) => [fn.id, fn] as const)),
  )
  const idle = new Set<number>()
  const quiet = async (since: number) => {
    for (let last = Date.now(); Date.now() - last < QUIET_MS; await delay(EACH_MS)) {
      const ran = await report.since(since)
      const own = ran.filter(({ id }) => functions.has(id) && !idle.has(id)).at(-1)
      last = Math.max(own?.at ?? 0, since)
      if (Date.now() - since > WAIT_MS) return
    }
  }
  await quiet(Date.now())
  const begun = Date.now()
  await delay(IDLE_MS)
  for (const { id } of await report.since(begun)) idle.add(id)
  const done: Done = { run: 0, made: { fileIds: [], link: '', page: '' } }
  for (done.run = 1; done.run <= RUNS; done.run++)
    for (const { name, run, before, after } of TRIPS) {
      await before?.(house, done)
      await quiet(Date.now())
      const since = Date.now()
      await run(house, done)
      await quiet(since)
      const ran = await report.since(since)
      if (done.run === RUNS) {
        const trip = tripOf(functions, ran, idle)
        onTrip({ name, files: judged(modules, functions, trip) })
      }
      await after?.(house, done)
    }
}

function tripOf(
  functions: ReadonlyMap<number, { file: string }>,
  ran: readonly { id: number; kind?: string }[],
  idle: ReadonlySet<number>,
): Trip {
  const gave = new Map<number, Set<string>>()
  for (const { id, kind } of ran) if (kind) gave.set(id, (gave.get(id) ?? new Set()).add(kind))
  const entered = new Set(ran.flatMap(({ id, kind }) => (kind ? [] : [id])))
  const counted = new Set([...entered].filter((id) => functions.has(id) && !idle.has(id)))
  return { entered, counted, gave }
}

/** The files of a trip with what they did, in the order of first use. */
function judged(
  modules: readonly MeasuredModule[],
  functions: ReadonlyMap<number, { file: string }>,
  trip: Trip,
): TripFiles['files'] {
  const judge = new Judge(modules, trip)
  const files = new Set([...trip.counted].map((id) => functions.get(id)!.file))
  return [...files].map((file) => ({ file, verdict: judge.verdictOf(file) }))
}
