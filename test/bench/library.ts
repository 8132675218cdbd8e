// A library of 5,000 files of 100 orders, opened compared with one of 50: both pages show 50 files.
import { randomBytes } from 'node:crypto'
import { request } from 'undici'
import type { ShopScope } from '../../server/core/db/for-shop.ts'
import { createSecrets } from '../../server/core/secrets.ts'
import { openLibraryKey } from '../../server/features/library/keys.ts'
import { reconcileOrders } from '../../server/features/orders/reconcile.ts'
import { paidOrder } from '../orders.ts'
import { compare, median, type Context, type Row } from './bench.ts'

const PRODUCT = 'gid://shopify/Product/2'
const FILES = 50
const ORDERS = 100
const BATCH = 25
/** Of each library in a round; their median counts. */
const OPENINGS = 20

export interface Library {
  scope: ShopScope
  /** The server's address. */
  url: string
  /** Adds a file and maps it to the product. */
  addFile(name: string, bytes: Buffer, product: string): Promise<void>
}

export async function libraryRow(
  { scope, url, addFile }: Library,
  { rounds, say }: Context,
): Promise<Row> {
  const secrets = createSecrets('a secret for this test alone, long enough')
  say(`filling a library with ${FILES * ORDERS} files`)
  for (let at = 0; at < FILES; at++) await addFile(`chapter-${at}.pdf`, randomBytes(1000), PRODUCT)
  const buy = async (email: string, count: number, first: number) => {
    const orders = Array.from({ length: count }, (_, at) =>
      paidOrder({
        id: `gid://shopify/Order/${first + at}`,
        name: `#${first + at}`,
        email,
        products: [PRODUCT],
      }),
    )
    for (let at = 0; at < count; at += BATCH)
      await scope.transaction((tx) =>
        reconcileOrders(tx, orders.slice(at, at + BATCH), {
          secrets,
          now: new Date(),
          quiet: true,
        }),
      )
  }
  await buy('many@example.com', ORDERS, 90_000_000)
  await buy('few@example.com', 1, 91_000_000)
  const address = async (email: string) =>
    `${url}/library?key=${await openLibraryKey(scope, secrets, { email, locale: null, now: new Date() })}`
  const [many, few] = [await address('many@example.com'), await address('few@example.com')]
  const [ours, theirs]: number[][] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const took: [number[], number[]] = [[], []]
    // In turn: other work of the machine affects both.
    for (let at = 0; at < OPENINGS; at++) {
      took[0].push(await open(many))
      took[1].push(await open(few))
    }
    ours!.push(median(took[0]))
    theirs!.push(median(took[1]))
  }
  return compare('a library of 5,000 files compared with one of 50', 'ms', ours!, theirs!, {
    ceiling: 2,
  })
}

/** Milliseconds. Throws unless 50 files are listed. */
async function open(url: string): Promise<number> {
  const begun = performance.now()
  const { statusCode, body } = await request(url)
  const text = await body.text()
  const took = performance.now() - begun
  const listed = text.split('chapter-').length - 1
  if (statusCode !== 200 || listed < FILES)
    throw new Error(`${url} was answered ${statusCode} with ${listed} names of files`)
  return took
}
