// `npm start -- --sample`: fills the demo shop, so that every page has something to show. What a
// merchant or a buyer would do is done over the API and the shop front; only the many files and the
// days before today are written by SQL.
import { setTimeout as delay } from 'node:timers/promises'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import { elementAt } from '../../core/lazy.ts'
import { addManyFiles } from './many-files.ts'
import { addPastDays } from './past-days.ts'
import { SAMPLES_PATH } from './path.ts'
import { WORKS } from './works.ts'

export interface SampleShop {
  scope: ShopScope
  /** Updates the statistics of the database: lists are planned with them. */
  analyze: () => Promise<unknown>
  /** The address of the app. */
  url: string
  apiKey: string
  /** The address of the shop front. */
  frontUrl: string
  /** Writes a line for people. */
  say: (text: string) => void
  signal: AbortSignal
}

const FILES = 100_000
const ORDERS = 60
const UNCERTAIN = 520
/** A shop with more files is left as it is. */
const FULL = 1000
/** What happens to orders later, by the order's place. */
const LATER: Readonly<Record<number, string>> = {
  5: 'refund',
  13: 'cancel',
  21: 'risk',
  22: 'risk',
}
const FIRST_ORDER = 1001
const DOWNLOADED = 25
/** More than the download limit of a new shop. */
const LIMIT = 6
const WAIT_MS = 100
/** SQL */
const NOTHING_RUNS =
  'where not exists (select from operations where shop_id = :shop and finished_at is null)'

/** Fills the shop, unless it is full already. Throws if the API refuses something. */
export async function fillSampleShop(sample: SampleShop): Promise<void> {
  if (await isFull(sample)) return sample.say('The sample shop is full already.')
  await until(sample, 'from catalog_mirrors where shop_id = :shop and finished_at is not null')
  sample.say('Sample shop: importing the first files …')
  await importFiles(sample, worksOf(sample))
  await addManyFiles(sample.scope, {
    count: FILES,
    models: WORKS.map(({ filename }) => filename),
    onProgress: (made) =>
      sample.say(
        `Sample shop: ${made.toLocaleString('en')} of ${FILES.toLocaleString('en')} files`,
      ),
  })
  sample.say('Sample shop: reviews, orders and downloads …')
  await importFiles(sample, await uncertainFiles(sample))
  await importFiles(sample, [
    { filename: 'Missing chapter.pdf', url: `${sample.url}${SAMPLES_PATH}missing.pdf` },
    { filename: 'Missing lesson.pdf', url: `${sample.url}${SAMPLES_PATH}gone.pdf` },
  ])
  await makePack(sample)
  await placeOrders(sample)
  await download(sample)
  await addPastDays(
    sample.scope,
    WORKS.map(({ filename }) => filename),
  )
  await sample.analyze()
  sample.say('The sample shop is ready.')
}

async function isFull({ scope }: SampleShop): Promise<boolean> {
  const { files } = await scope.one<{ files: number }>(
    'select count(*)::int as files from files where shop_id = :shop',
  )
  return files > FULL
}

/** Polls the database: the API limits how often a shop reads. */
async function until({ scope, signal }: SampleShop, condition: string): Promise<void> {
  for (;;) {
    const rows = await scope.query(`select ${condition}`)
    if (rows.length > 0) return
    await delay(WAIT_MS, undefined, { signal })
  }
}

interface Entry {
  filename: string
  url: string
  product_sku?: string
  tags?: string[]
}

const worksOf = ({ url }: SampleShop): Entry[] =>
  WORKS.map(({ filename, path, sku, tags }) => ({
    filename,
    url: url + path,
    product_sku: sku,
    tags: [...tags],
  }))

/** Names that resemble a title, but not enough to be mapped without being asked. */
async function uncertainFiles({ scope, url }: SampleShop): Promise<Entry[]> {
  const rows = await scope.query<{ title: string }>(
    `select title from products where shop_id = :shop and array_length(string_to_array(title, ' '), 1) > 2
     order by id`,
  )
  return Array.from({ length: UNCERTAIN }, (_, n) => {
    const words = elementAt(rows, n % rows.length)
      .title.replaceAll('/', '-')
      .split(' ')
    return {
      filename: `${words.slice(0, -1).join(' ')} draft ${n}.pdf`,
      url: `${url}${SAMPLES_PATH}guide.pdf`,
    }
  })
}

async function importFiles(sample: SampleShop, files: Entry[]): Promise<void> {
  await call(sample, 'POST', '/api/files/import', { files, auto_map: true, notify: false })
  await until(sample, NOTHING_RUNS)
}

async function makePack(sample: SampleShop): Promise<void> {
  const rows = await sample.scope.query<{ id: string }>(
    `select id from files where shop_id = :shop and tags @> array['bonus'] limit 12`,
  )
  const { id } = (await call(sample, 'POST', '/api/packs', { name: 'Bonus material' })) as {
    id: string
  }
  await call(sample, 'POST', '/api/operations', {
    action: 'move-to-pack',
    options: { pack: id },
    select: { file_ids: rows.map((row) => toPublicId('file', row.id)) },
  })
  await until(sample, NOTHING_RUNS)
}

const FIRST_NAMES =
  'mara,jonas,priya,tomas,ines,kwame,hana,luca,freya,omar,clara,mateo,yuki,elif,noah,sofia'.split(
    ',',
  )
const LAST_NAMES =
  'lindqvist,okafor,moreau,tanaka,silva,weber,novak,rossi,haddad,byrne,castillo,jensen,kowalski'.split(
    ',',
  )

/** The lists have no common divisor: 208 orders have different buyers. */
const buyerOf = (n: number): string =>
  `${elementAt(FIRST_NAMES, n % FIRST_NAMES.length)}.${elementAt(LAST_NAMES, n % LAST_NAMES.length)}@example.com`

/** Most buyers open their page and download; a few have no address, or wait for their payment. */
async function placeOrders(sample: SampleShop): Promise<void> {
  for (let n = 0; n < ORDERS; n++)
    await post(`${sample.frontUrl}/demo/orders`, {
      email: n % 20 === 7 ? null : buyerOf(n),
      lines: [{ sku: `EB-00${1 + (n % 3)}`, quantity: 1 + (n % 2) }],
    })
  await until(
    sample,
    `from deliveries where shop_id = :shop having count(*) filter (where mailed_at is not null) > 40`,
  )
  for (const [n, action] of Object.entries(LATER))
    await post(
      `${sample.frontUrl}/demo/orders/${FIRST_ORDER + Number(n)}/${action}`,
      action === 'risk' ? { recommendation: 'INVESTIGATE' } : {},
    )
}

/** Some buyers download everything once; one of them until nothing is left. */
async function download(sample: SampleShop): Promise<void> {
  const { data } = (await call(sample, 'GET', `/api/deliveries?limit=${DOWNLOADED}`)) as {
    data: { url: string | null }[]
  }
  for (const [n, { url }] of data.entries())
    for (let time = 0; url !== null && time < (n === 0 ? LIMIT : 1); time++)
      await fetch(`${url}&all=1`).then((response) => response.arrayBuffer())
}

async function call(
  { url, apiKey }: SampleShop,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  return request(url + path, method, body, { authorization: `Bearer ${apiKey}` })
}

const post = (url: string, body: unknown) => request(url, 'POST', body, {})

async function request(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`)
  return JSON.parse(text) as unknown
}
