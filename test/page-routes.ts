// Every page of the admin, from the features' lists of routes, with the address of a record where a
// page shows one: a new page is measured and tested without being listed anywhere else.
import { type CallShop } from './shop-caller.ts'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const FEATURES = path.join(import.meta.dirname, '../web/features')
const ROUTE = /path: '(?<path>[^']+)',\s*(?:page:|to: '(?<to>[^']+)')/g

// Read as text: the files import styles.
const ROUTES = globSync('*/feature.ts', { cwd: FEATURES })
  .flatMap((file) => [...readFileSync(path.join(FEATURES, file), 'utf8').matchAll(ROUTE)])
  .map(({ groups }) => ({ path: groups?.path ?? '', to: groups?.to }))

/** The paths of all pages, without old addresses. */
export const PAGE_PATHS: readonly string[] = ROUTES.flatMap((route) =>
  route.to === undefined ? [route.path] : [],
).toSorted()

/** Old addresses, each with the path to which it leads. */
export const OLD_PATHS: readonly (readonly [from: string, to: string])[] = ROUTES.flatMap((route) =>
  route.to === undefined ? [] : [[route.path, route.to] as const],
)

interface Records {
  /** The list of the records that the page shows, without `/api/`. */
  list: string
  /** Makes one, if the shop has none; its answer has the id. */
  make?: (call: CallShop) => Promise<unknown>
}

const csv = (list: string, filename: string, text: string): Records => ({
  list,
  make: (call) => call('POST', `/api/${list}?filename=${filename}`, text),
})

/** The records of the pages with `:id`, by their path. */
const RECORDS: Readonly<Record<string, Records>> = {
  '/files/:id': { list: 'files' },
  '/packs/:id': { list: 'packs', make: (call) => call('POST', '/api/packs', { name: 'Almanac' }) },
  '/deliveries/:id': { list: 'deliveries' },
  '/operations/:id': { list: 'operations' },
  '/workflows/:id': { list: 'workflows' },
  '/schedules/:id': {
    list: 'schedules',
    make: (call) =>
      call('POST', '/api/schedules', {
        name: 'Monthly tidying',
        cron: '0 2 1 * *',
        action: 'delete-files',
        cap: 100,
        filter: { older_than_days: 365, mapped: false },
      }),
  },
  '/import/connections/:id': {
    list: 'connections',
    make: (call) => call('POST', '/api/connections', { provider: 'demo' }),
  },
  '/import/feeds/:id': {
    list: 'feeds',
    make: (call) =>
      call('POST', '/api/feeds', {
        name: 'Supplier',
        url: 'https://example.com/feed.csv',
        mapping: { filename: 'name', file_url: 'link' },
      }),
  },
  '/import/csv/:id': csv(
    'csv',
    'spring.csv',
    'filename,file_url,tags\r\nguide.pdf,https://files.example.com/guide.pdf,spring\r\n,x,\r\n',
  ),
  '/import/move/:id': csv(
    'moves',
    'wc-product-export.csv',
    'ID,Type,SKU,Name,Download limit,Download expiry days,Download 1 name,Download 1 URL\r\n' +
      '12,"simple, downloadable",GUIDE-1,Guide,5,30,Guide,https://files.example.com/guide.pdf\r\n',
  ),
  '/settings/licences/:id': {
    list: 'licence-lists',
    make: (call) => call('POST', '/api/licence-lists', { name: 'Editor keys' }),
  },
  '/settings/webhooks/:id': {
    list: 'webhooks',
    make: (call) =>
      call('POST', '/api/webhooks', {
        url: 'https://example.com/hooks/stevedore',
        events: ['operation.finished'],
      }),
  },
}

/** The address of a page: of a record of the shop, which is made if there is none. */
export async function addressOf(page: string, call: CallShop): Promise<string> {
  if (page === '/buyers/detail') return `${page}?${await aBuyer(call)}`
  if (!page.includes(':id')) return page
  const records = RECORDS[page]
  if (!records) throw new Error(`Say in test/page-routes.ts which record ${page} shows`)
  const { data } = (await call('GET', `/api/${records.list}`)) as { data: { id: string }[] }
  const found = data[0] ?? ((await records.make?.(call)) as { id: string } | undefined)
  if (!found) throw new Error(`The shop has no ${records.list}`)
  return page.replace(':id', found.id)
}

/** The address of somebody who bought, or of nobody. */
async function aBuyer(call: CallShop): Promise<string> {
  const { data } = (await call('GET', '/api/deliveries')) as { data: { email: string | null }[] }
  return String(new URLSearchParams({ email: data[0]?.email ?? 'ann@example.com' }))
}

/** Pages that show a record, which a test opens with an id that does not exist. */
export const RECORD_PAGES = Object.keys(RECORDS)
