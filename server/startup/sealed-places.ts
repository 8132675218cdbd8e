// Every column that contains sealed values. A value that is not listed here could not be opened any
// more after APP_SECRET was replaced; a test compares the list with the code that seals.
import { replyPlace } from '../core/db/sealed-replies.ts'
import { serverKeyPlace } from '../core/db/server-keys.ts'
import { addressPlace } from '../core/kept-address.ts'
import { optionsPlace } from '../engine/engine.ts'
import { authorizationPlace } from '../features/cloud/authorize.ts'
import { connectionPlace } from '../features/cloud/sealed.ts'
import { documentPlace } from '../features/compliance/customer-data-rows.ts'
import { dropSecretPlace } from '../features/drop/shared-secrets.ts'
import { mailKeyPlace } from '../features/mail/domain.ts'
import { mailPasswordPlace } from '../features/mail/server-password.ts'
import { phonePlace } from '../features/messages/buyer-phone.ts'
import { licencePlace } from '../features/preparation/model/licence-lists.ts'
import { secretPlace } from '../features/webhooks/webhooks.ts'
import { tokenPlace } from '../storefront/shop-tokens.ts'

/** A row of a place. `shop` is 0, and `name` empty, in tables without them. */
export interface SealedRow {
  shop: number
  name: string
}

export interface SealedPlace {
  table: string
  column: string
  /**
   * `bytes`: the value itself. `text`: in base64. `json`: in base64, under the names `sealed` and
   * `…_sealed`, at any depth.
   */
  format: 'bytes' | 'text' | 'json'
  /** The context that the value is sealed for. */
  about(row: SealedRow): string
  /** The column that is part of it. */
  name?: string
  /** The table has no shops. */
  global?: true
}

const ofShop = (place: (shop: number) => string) => (row: SealedRow) => place(row.shop)

export const SEALED_PLACES: readonly SealedPlace[] = [
  {
    table: 'server_keys',
    column: 'sealed',
    format: 'bytes',
    name: 'name',
    global: true,
    about: ({ name }) => serverKeyPlace(name),
  },
  {
    table: 'drop_secrets',
    column: 'sealed',
    format: 'bytes',
    name: 'name',
    global: true,
    about: ({ name }) => dropSecretPlace(name),
  },
  ...['access_token', 'refresh_token'].map((column) => ({
    table: 'shop_tokens',
    column,
    format: 'bytes' as const,
    about: ({ shop }: SealedRow) => tokenPlace(shop, column),
  })),
  ...['secret', 'previous_secret'].map((column) => ({
    table: 'webhook_endpoints',
    column,
    format: 'bytes' as const,
    about: ofShop(secretPlace),
  })),
  {
    table: 'webhook_endpoints',
    column: 'sealed_url',
    format: 'text',
    about: ofShop(addressPlace),
  },
  {
    table: 'connections',
    column: 'sealed',
    format: 'bytes',
    about: ofShop(connectionPlace),
  },
  {
    table: 'mail_settings',
    column: 'server_password',
    format: 'bytes',
    about: ofShop(mailPasswordPlace),
  },
  {
    table: 'mail_settings',
    column: 'domain_key',
    format: 'bytes',
    about: ofShop(mailKeyPlace),
  },
  {
    table: 'cloud_authorizations',
    column: 'verifier',
    format: 'bytes',
    about: ofShop(authorizationPlace),
  },
  ...['orders', 'deliveries'].map((table) => ({
    table,
    column: 'phone',
    format: 'bytes' as const,
    about: ofShop(phonePlace),
  })),
  {
    table: 'licence_keys',
    column: 'sealed',
    format: 'bytes',
    about: ofShop(licencePlace),
  },
  {
    table: 'customer_data',
    column: 'document',
    format: 'bytes',
    name: 'id',
    about: ({ shop, name }) => documentPlace(shop, name),
  },
  {
    table: 'idempotency_keys',
    column: 'reply',
    format: 'bytes',
    about: replyPlace,
  },
  {
    table: 'operations',
    column: 'workflow',
    format: 'json',
    about: ofShop(optionsPlace),
  },
  {
    table: 'operations',
    column: 'request',
    format: 'json',
    about: ofShop(addressPlace),
  },
  { table: 'items', column: 'entry', format: 'json', about: ofShop(addressPlace) },
  { table: 'outbox', column: 'payload', format: 'json', about: ofShop(addressPlace) },
]
