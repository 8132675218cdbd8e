// CSV files and their API, for tests: uploads of any bytes, and a worker for the checks.
import { forShop, type ShopScope } from '../server/core/db/for-shop.ts'
import { csvCheckTasks } from '../server/features/csv/check-run.ts'
import type { OddSkus } from '../server/features/csv/check-state.ts'
import { createApiKey } from '../server/http/auth.ts'
import { SCOPES } from '../server/http/endpoint.ts'
import { createGuardedClient } from '../server/ports/guarded-fetch.ts'
import { startTestTasks } from './background.ts'
import { openTestApp, type Answer, type AppOptions, type TestApp } from './app.ts'
import { WAIT_MS } from './wait.ts'

export interface CsvApp extends TestApp {
  upload(bytes: Buffer | string, headers?: Record<string, string>, query?: string): Promise<Answer>
  /** Uploads, expects success, and returns the file's id. */
  uploaded(bytes: Buffer | string): Promise<string>
  /** Runs a check, and returns the file once it has ended. */
  checked(id: string, options?: object): Promise<Answer['body']>
  /** All problems found, from every page. */
  problems(id: string, query?: string): Promise<Answer['body'][]>
  key: string
}

/** `products`: the number of products for each SKU. */
export async function openCsvApp(
  products: Record<string, number> = {},
  options: AppOptions = {},
): Promise<CsvApp> {
  const app = await openTestApp(options)
  const { database, secrets } = app.engine.parts
  const client = createGuardedClient({ allowLoopback: true, fileBytes: 5 * 1024 ** 3 })
  const stop = await startTestTasks(
    database,
    csvCheckTasks({
      database,
      secrets,
      probe: (url, signal, headers) => client.probe(url, signal, headers && { headers }),
      oddSkus: () => oddIn(products),
      limits: { file_bytes: 5 * 1024 ** 3, large_file_bytes: 500 * 1024 ** 2 },
    }),
  )
  const key = await keyOf(forShop(database, app.engine.shop))
  const upload: CsvApp['upload'] = (bytes, headers = { 'content-type': 'text/csv' }, query = '') =>
    post(`${app.url}/api/csv${query}`, key, bytes, headers)
  const call = app.owner.call
  return {
    ...app,
    key,
    upload,
    uploaded: async (bytes) => idOf(await upload(bytes)),
    checked: async (id, asked = { probe: false }) => {
      const begun = await call('POST', `/api/csv/${id}/check`, asked)
      if (begun.status !== 202)
        throw new Error(`The check was answered ${begun.status}: ${JSON.stringify(begun.body)}`)
      return untilChecked(app, id)
    },
    problems: async (id, query = '') => {
      const rows: Answer['body'][] = []
      let cursor: string | null = null
      do {
        const page: Answer = await call(
          'GET',
          `/api/csv/${id}/problems?limit=250${query}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
        )
        rows.push(...page.body.data)
        cursor = page.body.next_cursor
      } while (cursor)
      return rows
    },
    close: async () => {
      await stop()
      await client.close()
      await app.close()
    },
  }
}

const oddIn =
  (products: Record<string, number>): OddSkus =>
  (skus) =>
    Promise.resolve(
      new Map(
        skus.map((sku) => [sku, products[sku] ?? 0] as const).filter(([, count]) => count !== 1),
      ),
    )

async function keyOf(scope: ShopScope): Promise<string> {
  return (await createApiKey(scope, { name: 'csv', scopes: SCOPES, demo: true })).key
}

async function post(
  url: string,
  key: string,
  body: Buffer | string,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: body as string,
  })
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(await response.text()),
  }
}

function idOf({ status, body }: Answer): string {
  if (status !== 201) throw new Error(`The upload was answered ${status}: ${JSON.stringify(body)}`)
  return body.id
}

export async function untilChecked(
  { owner }: Pick<TestApp, 'owner'>,
  id: string,
): Promise<Answer['body']> {
  const until = Date.now() + WAIT_MS
  while (true) {
    const { body } = await owner.call('GET', `/api/csv/${id}`)
    if (body.status !== 'checking') return body
    if (Date.now() > until) throw new Error(`The check did not end: ${JSON.stringify(body)}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
