// POST /extensions/library: the page in the customer's account asks for the customer's library. The
// platform's token names the customer, and the platform the customer's address. Where it does not,
// the answer is the page that sends a mail: it never says whether an address has bought something.
import { PortError } from '../../../plugins/contract/index.ts'
import { forShop, type Shop } from '../../core/db/for-shop.ts'
import { openRateLimit } from '../../core/db/callers.ts'
import { AppError } from '../../core/errors.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { extensionEndpoint, type ExtensionParts } from '../../http/extension-endpoint.ts'
import type { Mount } from '../../http/listen.ts'
import type { LiveCustomers } from '../../storefront/customers.ts'
import type { Delivery } from '../downloads/downloads.ts'
import { openLibraryKey } from './keys.ts'

export const ACCOUNT_PATH = '/extensions/library'
const REQUESTS_PER_MINUTE = 60
/** Each opening writes a key. */
const OPENINGS_PER_HOUR = 30
const HOUR_SECONDS = 60 * 60
/** The customer waits for the platform for this long at most. */
const LOOK_UP_MS = 5000

export interface AccountParts extends ExtensionParts {
  storefront: ExtensionParts['storefront'] & {
    customers(shop: number): Pick<LiveCustomers, 'email'>
  }
  delivery: Pick<Delivery, 'lookOf'>
  secrets: Secrets
  baseUrl: string
  clock: () => Date
  log: Logger
}

/** `request`: the page at `url` sends a mail with the link. `off`: the shop offers no libraries. */
type Answer = { status: 'open' | 'request'; url: string } | { status: 'off' }

export function accountLibrary(parts: AccountParts): Mount {
  const { database, baseUrl } = parts
  const openings = openRateLimit(database.pool, {
    name: 'account-openings',
    points: OPENINGS_PER_HOUR,
    seconds: HOUR_SECONDS,
  })

  async function answer(shopDomain: string, customer: string | null, shop: Shop): Promise<Answer> {
    if (!(await parts.delivery.lookOf(shop.id)).library) return { status: 'off' }
    const request = `${baseUrl}/library?shop=${encodeURIComponent(shopDomain)}`
    const email = customer === null ? null : await emailOf(parts, shop.id, customer)
    if (email === null) return { status: 'request', url: request }
    const opened = await openings.consume(`${shop.id}/${customer}`)
    if (opened.exceeded) throw new AppError('rate_limited', { retryAfter: opened.retryAfter })
    const key = await openLibraryKey(forShop(database, shop.id), parts.secrets, {
      email,
      locale: null,
      now: parts.clock(),
    })
    return { status: 'open', url: `${baseUrl}/library?key=${key}` }
  }

  return extensionEndpoint(parts, {
    path: ACCOUNT_PATH,
    limit: { name: 'account-library', points: REQUESTS_PER_MINUTE },
    answer: (_, { shopDomain, customer }, shop) => answer(shopDomain, customer, shop),
  })
}

/** Null: unknown, the app lacks the scope `read_customers`, or the platform does not answer. */
async function emailOf(
  { storefront, log }: AccountParts,
  shop: number,
  customer: string,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(LOOK_UP_MS)
    return await storefront.customers(shop).email(customer, signal)
  } catch (error) {
    if (!(error instanceof PortError) && !isTimeout(error)) throw error
    log.info('the address of a customer could not be read', { shop, ...errorFields(error) })
    return null
  }
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'
