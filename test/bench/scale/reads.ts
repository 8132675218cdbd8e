// Every list, filter, search and count of the API, read from a small and a large shop in turn.
import { setTimeout as delay } from 'node:timers/promises'
import { compare, type Row } from '../bench.ts'

/** The reply of an endpoint, whose shape differs. */
// oxlint-disable-next-line typescript/no-explicit-any
type Reply = any
export type Read = (route: string) => Promise<{ reply: Reply; ms: number }>

const SORTS = ['created_at', 'filename', 'size_bytes', 'downloads'].flatMap((sort) => [
  sort,
  `-${sort}`,
])
const FILTERS = [
  '',
  'mapped=true',
  'mapped=false',
  'type=pdf',
  'type=image',
  'tags=hundredth',
  'tags=kind-3',
  'tags=kind-3,batch-7',
  'search=course',
  'search=part+4711',
  'find=course+4711',
  'find=workbook',
  'larger_than=19990000',
  'smaller_than=2000',
  'older_than_days=100',
  'uploaded_after=2026-10-01',
  'not_downloaded_for_days=30',
  'not_downloaded_for_days=3650',
  'backed_up=false',
  'backed_up=true',
  'storage=primary',
  'storage=backup',
  'deleted=true',
  'product=gid://shopify/Product/7',
  'mapped=true&type=pdf',
]
const FILE_LISTS = [
  ...FILTERS.map((filter) => `/api/files?${filter}`),
  ...SORTS.map((sort) => `/api/files?sort=${sort}`),
  ...['mapped=true', 'search=course', 'tags=hundredth', 'not_downloaded_for_days=30'].map(
    (filter) => `/api/files?sort=-size_bytes&${filter}`,
  ),
  ...[1000, 9000].map((offset) => `/api/files?offset=${offset}`),
]
const OTHERS = [
  '/api/tags?',
  '/api/tags?search=batch',
  '/api/views?',
  '/api/products?',
  '/api/products?search=course',
  '/api/products?search=SK-1',
  '/api/products?search=recipe+ab',
  '/api/products/mirror?',
  '/api/links?',
  '/api/links?search=course',
  '/api/links?search=buyer33',
  ...['active', 'expired', 'exhausted', 'revoked', 'withdrawn'].map(
    (status) => `/api/links?status=${status}`,
  ),
  '/api/links?email=buyer33@example.com',
  '/api/buyers?',
  '/api/buyers?search=buyer3',
  ...[
    '',
    'status=ready',
    'status=held',
    'status=withdrawn',
    'email=buyer7@example.com',
    'search=buyer71',
    'state=blocked',
    'reach=unreachable',
  ].map((filter) => `/api/deliveries?${filter}`),
  '/api/new-files?',
  '/api/unfiled-products?',
  '/api/reviews?',
  '/api/reviews/groups?',
  '/api/reviews/accept?above=0.7',
  '/api/packs?',
  '/api/packs?search=pack+7',
  '/api/operations?',
  '/api/operations?kind=import',
  '/api/operations?status=partial',
  '/api/messages?',
  '/api/messages?kind=email',
  '/api/notices?',
  '/api/activity?',
  '/api/plan?',
  '/api/attention?',
  '/api/home/figures?days=30',
  '/api/stats?metric=downloads&days=30',
  '/api/licence-lists?',
  '/api/schedules?',
  '/api/workflows?',
  '/api/connections?',
  '/api/csv?',
  '/api/moves?',
  '/api/drop/files?',
  '/api/webhooks?',
  '/api/session?',
]

const LIMIT = 50
/** Routes that have no `limit`. */
const WHOLE =
  /^\/api\/(views|plan|attention|home|stats|session|activity|products\/mirror|reviews\/accept|drop\/files|schedules|workflows|connections|webhooks|licence-lists|moves|csv|unfiled-products|new-files)/

/** Routes that need the id of a record: the list that has it, and what is read of it. */
const RECORDS: readonly (readonly [list: string, rest: string])[] = [
  ...['', '/downloads?limit=50', '/history?limit=50', '/versions'].map(
    (rest) => ['/api/files', rest] as const,
  ),
  ['/api/packs', ''],
  ['/api/operations', '/items?limit=50'],
  ['/api/operations', '/items?limit=50&status=failed'],
  ['/api/deliveries', ''],
]

/** The routes to read, for both shops. */
async function routesOf(read: Read): Promise<{ what: string; route: string }[]> {
  const lists = [...FILE_LISTS, ...OTHERS].map((route) => {
    const whole = WHOLE.test(route) ? route : `${route}&limit=${LIMIT}`
    return { what: route.replace(/\?$/, ''), route: whole.replace('?&', '?') }
  })
  const records = await Promise.all(
    RECORDS.map(async ([list, rest]) => {
      const { reply } = await read(`${list}?limit=1`)
      return { what: `${list}/{id}${rest}`, route: `${list}/${reply.data[0].id}${rest}` }
    }),
  )
  const paged = await nextPages(read)
  return [...lists, ...records, ...paged]
}

/** The second pages of lists, by their cursors. */
async function nextPages(read: Read): Promise<{ what: string; route: string }[]> {
  const lists = [
    '/api/files?',
    '/api/files?tags=kind-3&',
    '/api/links?',
    '/api/products?search=course&',
  ]
  return Promise.all(
    lists.map(async (list) => {
      const { reply } = await read(`${list}limit=${LIMIT}`)
      const { next_cursor: next } = reply
      const cursor = next === null ? '' : `&cursor=${encodeURIComponent(String(next))}`
      return { what: `${list}cursor`, route: `${list}limit=${LIMIT}${cursor}` }
    }),
  )
}

export interface ReadShops {
  small: Read
  large: Read
}

/** One row a route: its time in the large shop against that in the small one. */
export async function readRows(
  { small, large }: ReadShops,
  { rounds, ceiling, say }: { rounds: number; ceiling: number; say(text: string): void },
): Promise<Row[]> {
  const [ofSmall, ofLarge] = await Promise.all([routesOf(small), routesOf(large)])
  const rows: Row[] = []
  for (const [at, { what, route }] of ofLarge.entries()) {
    const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] }
    // The first round is warm-up.
    for (let round = 0; round <= rounds; round++) {
      const theirs = await small(ofSmall[at]!.route)
      const ours = await large(route)
      if (round === 0) continue
      times.ours.push(ours.ms)
      times.theirs.push(theirs.ms)
    }
    const row = compare(what, 'ms', times.ours, times.theirs, { ceiling })
    say(`${what}: ${row.ours.toFixed(1)} ms, ${row.ratio.toFixed(2)}`)
    rows.push(row)
  }
  return rows
}

/** Reads with an API key. Waits where the limit of reads is reached. */
export const reader =
  (url: string, key: string): Read =>
  async (route) => {
    for (;;) {
      const begun = performance.now()
      const response = await fetch(url + route, { headers: { authorization: `Bearer ${key}` } })
      const reply = await response.json()
      const ms = performance.now() - begun
      if (response.ok) return { reply, ms }
      if (response.status !== 429) throw new Error(`${route}: ${JSON.stringify(reply)}`)
      await delay(1000 * Number(response.headers.get('retry-after') ?? 1))
    }
  }
