// What the engine is given: its database, plugins, ports and messages, and what the features do in
// its transactions.
import type {
  BaseContext,
  Documents,
  Listings,
  Notifier,
  Plugin,
  Text,
  Workflow,
  WritePorts,
} from '../../plugins/contract/index.ts'
import type { Limits } from '../core/configuration/limits.ts'
import type { Database } from '../core/db/database.ts'
import type { Listener } from '../core/db/listener.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Logger } from '../core/log.ts'
import type { EndedOperation, EndsOf } from '../core/outbox/webhook-events.ts'
import type { Secrets } from '../core/secrets.ts'
import type { BlobStore } from '../core/store/store.ts'
import type { Effect } from './effect.ts'
import type { OperationRow } from './types.ts'

/**
 * What plugins may touch, bound to one shop. The actions are the engine's own; a delivery's ports
 * come with the delivery.
 */
export type Ports = Omit<WritePorts, 'actions' | 'delivery' | 'licences'> &
  Pick<BaseContext, 'shop'>

export type Notice = Parameters<Notifier['notice']>[0]

/** Messages about an operation. All are called in the transaction that decides to send them. */
export interface OperationMessages {
  /** Sends a text message about an operation, from one of its last steps. */
  sms(tx: ShopScope, operation: string, text: string): Promise<void>
  /** Shows a notice in the page, from one of the operation's last steps. */
  notice(tx: ShopScope, operation: string, notice: Notice): Promise<void>
  /** Sends the operation's document into a connection, once for each `key` of the operation. */
  document(
    tx: ShopScope,
    about: { operation: string; key: string },
    to: Parameters<Documents['send']>[0],
  ): Promise<void>
  /** The name of a cloud connection, by its public id; null: there is none. */
  connection(scope: ShopScope, id: string): Promise<string | null>
}

/** What is done in the transaction that ends an operation, in any status. */
export interface OperationEnd {
  /** The ends for which it is called. */
  of: EndsOf
  run(tx: ShopScope, operation: OperationRow, end: EndedOperation): Promise<void>
}

/**
 * Called in the transaction that retries an operation or confirms its preview, before the operation's row
 * is locked. It throws `conflict` while another operation runs that must not run beside this one, and
 * holds the lock that the start of such operations holds.
 */
export type RunGuard = (tx: ShopScope, operation: OperationRow) => Promise<void>

/** Everything that the engine is given, once for each process. */
export interface EngineParts {
  database: Database
  listener: Listener
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
  limits: Limits
  /** @param scratch where new bytes are stored, instead of the shop's storage location */
  ports(scope: ShopScope, scratch?: BlobStore): Promise<Ports>
  /** Calls `work` with an empty store, and removes it in any case, also after a crash. */
  withScratch<T>(work: (scratch: BlobStore) => Promise<T>): Promise<T>
  /**
   * The documents of one operation, by its bare UUID. Calls `seen` with the numbers of files that
   * were read and written so far.
   */
  listings(
    scope: ShopScope,
    operation: string,
    seen: (files: number, written: number) => void,
  ): Listings
  messages: OperationMessages
  /** The first words of messages about imports, by channel; one that is absent says `Import`. */
  messageWords: ReadonlyMap<string, Text>
  /** The effects, in the order in which they are written. */
  effects: readonly Effect[]
  /** What the features do when an operation ends. */
  ends: readonly OperationEnd[]
  /** What the features check before an operation runs again. */
  guards: readonly RunGuard[]
  /** Seals addresses and options of operations. */
  secrets: Secrets
  log: Logger
}
