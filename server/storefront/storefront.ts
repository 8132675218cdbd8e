// The shop platform's interface for the rest of the server: sign-in, and the shop's live catalog
// and orders.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CatalogVariant } from '../../plugins/contract/index.ts'
import type { BuyerIdentity } from './buyer-token.ts'
import type { SendTrigger } from './flow.ts'
import type { Installation } from './installation.ts'
import type { LiveCustomers } from './customers.ts'
import type { CreatedProduct, NewProduct } from './new-products.ts'
import type { LiveOrders } from './orders.ts'
import type { SessionIdentity } from './session-token.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { Intake } from './intake.ts'
import type { CatalogRow, WholeCatalog } from './whole-catalog.ts'

/** The catalog as the platform has it now. Every call throws `PortError`. */
export interface LiveCatalog {
  /**
   * The variants of each SKU; a SKU may have several. If no variant matches exactly: those of the
   * one product whose SKU differs only in case or in spaces around it. Unknown SKUs are absent.
   */
  findBySku(
    skus: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly CatalogVariant[]>>
}

/** What the built-in demo adds to a storefront. */
export interface DemoPlatform {
  /** The shop that was created at the start. */
  shop: { id: number; domain: string; name: string }
  /** A file at the app's own address for a first import. */
  sample: { path: string; filename: string; sku: string }
  /** The address of the shop front, without a slash at the end. */
  frontUrl: string
  /** The address of the app in the demo's admin, which frames the page. */
  adminUrl: string
  /** Answers requests for the bridge and the shop front and returns true; false for others. */
  handle: (request: IncomingMessage, response: ServerResponse) => boolean
}

export interface Storefront {
  /**
   * Public values that the admin page needs to start: the app's client id and the address of the
   * bridge script.
   */
  page: { apiKey: string; bridgeUrl: string }
  /**
   * Verifies a session token completely (HS256, aud, exp, nbf, dest against iss). Throws `AppError`
   * `unauthenticated`.
   */
  verifySessionToken(token: string): Promise<SessionIdentity>
  /**
   * Verifies a token of a buyer's page: of the checkout or the customer's account. Throws
   * `AppError` `unauthenticated`, also for the admin's session tokens.
   */
  verifyBuyerToken(token: string): BuyerIdentity
  /**
   * Exchanges a verified session token for an expiring offline token and stores it, if the shop has
   * none that works. Throws `AppError`: `unauthenticated` if the token is another shop's or
   * refused, `unavailable` if the platform is.
   */
  ensureAccess(shop: number, sessionToken: string): Promise<void>
  /** The live catalog of a shop (its internal number). */
  catalog(shop: number): LiveCatalog
  /**
   * The whole catalog of a shop, which the platform collects in the background: it fills the
   * mirror.
   */
  wholeCatalog(shop: number): WholeCatalog
  /** One product with its variants; null: the platform has no such product. Throws `PortError`. */
  product(shop: number, id: string, signal: AbortSignal): Promise<readonly CatalogRow[] | null>
  /**
   * Creates a product, or finds the one with its handle. Throws `ScopeMissing`, `ProductRefused` and
   * `PortError`.
   */
  createProduct(shop: number, product: NewProduct, signal: AbortSignal): Promise<CreatedProduct>
  /** The orders of a shop. */
  orders(shop: number): LiveOrders
  /** The customers of the shop. */
  customers(shop: number): LiveCustomers
  /** The app's installation in the shop. */
  installation(shop: number): Installation
  /**
   * Does the platform still accept the app's tokens of the shop? `not found`: it knows no such store,
   * because it was deleted or because a server on the way fails. Throws `PortError` if it did not
   * answer.
   */
  hasAccess(shop: number, signal: AbortSignal): Promise<boolean | 'not found'>
  /** The shop's subscription to the app. */
  subscriptions(shop: number): Subscriptions
  /** Starts workflows of the platform's automation in the shop. */
  triggers(shop: number): SendTrigger
  /** Is the body signed with the app's secret? `signature`: X-Shopify-Hmac-Sha256. */
  isSigned(body: Buffer, signature: string): boolean
  /** Reads name, address, time zone and scopes of the shop now. False: the platform did not answer. */
  refreshProfile(shop: number): Promise<boolean>
  /** Receives the platform's webhooks. */
  intake: Intake
  /** What the built-in demo adds; absent outside demo mode. */
  demo?: DemoPlatform
  close(): Promise<void>
}
