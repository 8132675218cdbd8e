// The shop platform as the rest of the server sees it: who is signed in, and the shop's live
// catalog.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CatalogVariant } from '../../plugins/contract.ts'
import type { BuyerIdentity } from './buyer-token.ts'
import type { SendTrigger } from './flow.ts'
import type { LiveOrders } from './orders.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { Intake } from './webhooks/intake.ts'
import type { CatalogRow, WholeCatalog } from './whole-catalog.ts'

/** Who a session token speaks for. */
export interface SessionIdentity {
  /** The shop's platform domain, like `harbour.myshopify.com`. */
  shopDomain: string
  /** The signed-in person's platform id. */
  user: string
}

/** Throws `PortError`. */
export interface LiveCatalog {
  /**
   * Matches for each SKU that the catalog has; a SKU may have several. Where none is exact: those
   * of the one product whose SKU differs only in case or in spaces around it. Unknown SKUs are
   * absent.
   */
  findBySku(
    skus: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly CatalogVariant[]>>
}

export interface Storefront {
  /**
   * Public values that the admin page needs to start: the app's client id and where its bridge
   * script is.
   */
  page: { apiKey: string; bridgeUrl: string }
  /**
   * Checks a session token whole (HS256, aud, exp, nbf, dest against iss). Throws `AppError`
   * `unauthenticated`.
   */
  verifySessionToken(token: string): Promise<SessionIdentity>
  /**
   * Checks the token of a buyer's page: of the checkout or the customer's account. Throws `AppError`
   * `unauthenticated`, for session tokens of the admin too.
   */
  verifyBuyerToken(token: string): BuyerIdentity
  /**
   * Trades a verified session token for an expiring offline token and stores it, where the shop has
   * none that works. Throws `AppError`: `unauthenticated` when the token is another shop's or
   * refused, `unavailable` when the platform is.
   */
  ensureAccess(shop: number, sessionToken: string): Promise<void>
  /** The live catalog of a shop (its internal number). */
  catalog(shop: number): LiveCatalog
  /**
   * The whole catalog of a shop, gathered by the platform in its own time: what the mirror is
   * filled with.
   */
  wholeCatalog(shop: number): WholeCatalog
  /** One product with its variants; null: the platform has no such product. Throws `PortError`. */
  product(shop: number, id: string, signal: AbortSignal): Promise<readonly CatalogRow[] | null>
  /** The orders of a shop. */
  orders(shop: number): LiveOrders
  /** What a shop pays the app for. */
  subscriptions(shop: number): Subscriptions
  /** Starts workflows of the platform's automation in the shop. */
  triggers(shop: number): SendTrigger
  /** Is the body signed with the app's secret? `signature`: X-Shopify-Hmac-Sha256. */
  isSigned(body: Buffer, signature: string): boolean
  /** Reads name, address, time zone and scopes of the shop now. Never rejects. */
  refreshProfile(shop: number): Promise<void>
  /** Takes in the platform's webhooks. */
  intake: Intake
  /** Demo mode: the shop that was made at start. */
  demoShop?: { id: number; domain: string; name: string }
  /** Demo mode: a file at the app's own address to try the first import with. */
  demoSample?: { path: string; filename: string; sku: string }
  /**
   * Demo mode: answers the page's requests for the stand-in of the bridge. False: the request is
   * for someone else.
   */
  handle?(request: IncomingMessage, response: ServerResponse): boolean
  /** Demo mode: where the shop front is, without a slash at the end. */
  shopFrontUrl?: string
  close(): Promise<void>
}
