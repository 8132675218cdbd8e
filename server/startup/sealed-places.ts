// Every column that contains sealed values: those of the layers, and those that features state.
import { replyPlace } from '../core/db/sealed-replies.ts'
import { serverKeyPlace } from '../core/db/server-keys.ts'
import { addressPlace } from '../core/kept-address.ts'
import type { SealedPlace, SealedRow } from '../core/sealed-place.ts'
import { optionsPlace } from '../engine/sealed.ts'
import { FEATURES } from '../features.ts'
import { tokenPlace } from '../storefront/shop-tokens.ts'

const address = ({ shop }: SealedRow) => addressPlace(shop)

export const SEALED_PLACES: readonly SealedPlace[] = [
  {
    table: 'server_keys',
    column: 'sealed',
    format: 'bytes',
    name: 'name',
    global: true,
    about: ({ name }) => serverKeyPlace(name),
  },
  ...['access_token', 'refresh_token'].map((column) => ({
    table: 'shop_tokens',
    column,
    format: 'bytes' as const,
    about: ({ shop }: SealedRow) => tokenPlace(shop, column),
  })),
  { table: 'idempotency_keys', column: 'reply', format: 'bytes', about: replyPlace },
  {
    table: 'operations',
    column: 'workflow',
    format: 'json',
    about: ({ shop }) => optionsPlace(shop),
  },
  { table: 'operations', column: 'request', format: 'json', about: address },
  { table: 'items', column: 'entry', format: 'json', about: address },
  { table: 'outbox', column: 'payload', format: 'json', about: address },
  ...FEATURES.flatMap(({ sealed }) => sealed ?? []),
]
