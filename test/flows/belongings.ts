// What a shop and its buyers have, for flows that change the server below them: each is made at one
// server and must work at another one.
import { expect } from 'vitest'
import type { FakeBucket } from '../fakes/bucket.ts'
import type { Origin } from '../fakes/origin.ts'
import { importUntilEnd } from './imports.ts'
import type { RunningServer } from './server.ts'

async function post<T>(server: RunningServer, route: string, body: unknown): Promise<T> {
  const answer = await server.call('POST', route, body)
  const json: unknown = await answer.json()
  expect(answer.ok, JSON.stringify(json)).toBe(true)
  return json as T
}

interface Made {
  id: string
}
interface ListedLink extends Made {
  url: string
}

/** Ids, and what buyers and clients have. */
export interface Belongings {
  key: string
  link: ListedLink
  connection: string
  account: string
  webhookSecret: string
  hostKeys: unknown
}

let books = 0
export async function makeBelongings(
  server: RunningServer,
  { origin, bucket }: { origin: Origin; bucket: FakeBucket },
): Promise<Belongings> {
  const n = ++books
  const { files } = await importUntilEnd(server, {
    files: [{ filename: `Book ${n}.epub`, url: `${origin.url}/bytes/${3000 + n}/book-${n}` }],
  })
  const { data } = await post<{ data: ListedLink[] }>(server, '/api/links', {
    file_ids: [files[0]?.file_id],
    download_limit: null,
  })
  const connection = await post<Made>(server, '/api/connections', {
    ...bucket.connection(),
    name: `Bucket ${n}`,
  })
  const account = await post<Made>(server, '/api/drop/accounts', { name: `Warehouse ${n}` })
  const { secret } = (await (await server.call('GET', '/api/webhooks/secret')).json()) as {
    secret: string
  }
  const drop = (await (await server.call('GET', '/api/drop')).json()) as { host_keys: unknown }
  return {
    key: server.apiKey,
    connection: connection.id,
    account: account.id,
    link: data[0] as ListedLink,
    webhookSecret: secret,
    hostKeys: drop.host_keys,
  }
}

/** Everything works at this server. */
export async function expectWorking(server: RunningServer, { key, link, ...made }: Belongings) {
  const call = async (route: string, method = 'GET') => {
    const answer = await fetch(server.url + route, {
      method,
      headers: { authorization: `Bearer ${key}` },
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  // The buyer's address, here and as the list shows it.
  const { search } = new URL(link.url)
  const download = await fetch(`${server.url}/download${search}`)
  expect([download.status, (await download.arrayBuffer()).byteLength > 3000]).toEqual([200, true])
  const links = await call('/api/links?limit=100')
  const listed = (links.body.data as ListedLink[]).find(({ id }) => id === link.id)
  expect(new URL(String(listed?.url)).search).toBe(search)
  // The keys of the bucket are sealed.
  const sync = await call(`/api/connections/${made.connection}/folders`)
  expect([sync.status, sync.body.error]).toEqual([200, undefined])
  const accounts = await call('/api/drop/accounts')
  expect((accounts.body.data as Made[]).map(({ id }) => id)).toContain(made.account)
  expect((await call('/api/drop')).body.host_keys).toEqual(made.hostKeys)
}
