// A feature: what its folder adds to the product. server/features.ts lists them all; endpoints,
// background tasks, metrics, effects and the handling of tables are taken from that list.
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { Plugin, Text, Workflow } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { BackgroundTask } from '../core/queue/background.ts'
import type { Deliverers, MailWriter } from '../core/outbox/outbox.ts'
import type { WebhookEvent } from '../core/outbox/webhook-events.ts'
import type { SealedPlace } from '../core/sealed-place.ts'
import type { Secrets } from '../core/secrets.ts'
import type { Effect } from '../engine/effect.ts'
import type { BlobStore } from '../core/store/store.ts'
import type {
  EngineParts,
  OperationEnd,
  OperationMessages,
  Ports,
  RunGuard,
} from '../engine/parts.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { Examples } from '../http/example.ts'
import type { Mount, RawMount, Origins } from '../http/listen.ts'
import type { StateMetrics } from '../http/state-metrics.ts'
import type { Sha256Sums } from '../files/sha256-sums.ts'
import type { CheckBlob } from '../ports/repair.ts'
import type { Refreshed } from '../storefront/mirror/product-change.ts'
import type { FeatureChanges } from '../storefront/apply-changes.ts'

/**
 * What happens to a table's rows about a buyer when the platform requests the deletion of a
 * customer's data.
 */
export interface BuyerPlace {
  /** The kind of row, as the customer's document names it. */
  about: string
  columns: readonly string[]
  /** Other texts of the table, which contain nothing about buyers: ids, hashes, names of files. */
  keeps?: readonly string[]
  /**
   * `mask`: the address is replaced in these columns. `delete`: the row is deleted. `link`: the row
   * belongs to a buyer's link and is handled with it (redact-customer.ts). `order`: with the order.
   */
  how: 'mask' | 'delete' | 'link' | 'order'
}

export type BuyerPlaces = Readonly<Record<string, BuyerPlace>>

/** What the engine's hooks of a feature need. */
export interface HookParts {
  secrets: Secrets
  plugins: readonly Plugin[]
}

/** What the effects of outcomes need. */
export interface OutcomeEffectParts extends HookParts {
  /** The start of the addresses that this server gives to others. */
  baseUrl: string
}

/** What is done at the end of an operation needs. */
export interface EndParts extends HookParts {
  /** Those of all features. */
  events: readonly WebhookEvent[]
}

/** What the documents of operations need. */
export interface OperationListingParts {
  secrets: Secrets
  baseUrl: string
  stores: ReadonlyMap<string, BlobStore>
  check: CheckBlob
  sums: Pick<Sha256Sums, 'of'>
}

/** What other features do when an operation is moved. */
export interface OperationMoves {
  /** Confirms the preview of a cloud sync, by listing the provider again. */
  confirmSync(scope: ShopScope, about: { sync: string; operation: string }): Promise<void>
  /** What a schedule would run now, for a retry of its operations; null: it was deleted. */
  workflowOfSchedule(scope: ShopScope, schedule: string): Promise<Workflow | null>
}

/** Some of `Made`, by their names, each with what makes it. */
export type MakersOf<Parts, Made> = {
  readonly [Name in keyof Made]?: (parts: Parts) => Made[Name]
}

/** Sweeps by the name that metrics show. */
export type Sweeps = Readonly<Record<string, () => Promise<unknown>>>

/** The parameters: what each of its functions needs. */
export interface Feature<
  WebParts = never,
  TaskParts = never,
  PortParts = never,
  RequestParts = never,
  SweepParts = never,
  SendParts = never,
> {
  /** The name of its folder. */
  name: string
  endpoints?: (parts: WebParts) => Endpoint[]
  /** What it does when an operation is moved. Each has one feature. */
  moves?: MakersOf<WebParts, OperationMoves>
  /** Requests that are no endpoints: of buyers, the platform and their programs. */
  requests?: (parts: RequestParts) => readonly (Mount | RawMount)[]
  /** Those of `requests` that the API's document describes. */
  requestPaths?: ZodOpenApiPathsObject
  /** What it allows the pages of other origins that call the API. */
  origins?: Origins
  /** One for each of its endpoints. */
  examples?: Examples
  /** What its endpoints change applies to the next download: links, and files that they deliver. */
  changesDelivery?: true
  tasks?: (parts: TaskParts) => BackgroundTask[]
  metrics?: StateMetrics
  /** What the hourly upkeep removes, by the name that metrics show. */
  sweeps?: (parts: SweepParts) => Sweeps
  /** Ports that plugins get from it: those to the bytes of its channel. */
  ports?: MakersOf<PortParts, Ports>
  /** The kinds of messages that it delivers. Each kind has one feature. */
  sends?: MakersOf<SendParts, Deliverers>
  /**
   * The mails to buyers, to those who are asked and with documents that it writes, by template. All
   * others go to the shop.
   */
  mails?: Readonly<Record<string, MailWriter>>
  /** The changes that it applies when the platform reports them. */
  changes?: MakersOf<TaskParts, FeatureChanges>
  /** What it does after the mirror of the catalog has changed. */
  refreshed?: (parts: TaskParts) => Refreshed
  /** Effects of outcomes that it writes. */
  effects?: (parts: OutcomeEffectParts) => Effect[]
  /** Makes the documents of an operation. One feature does. */
  listings?: (parts: OperationListingParts) => EngineParts['listings']
  /** The messages about an operation that it sends. Each has one feature. */
  operationMessages?: Partial<OperationMessages>
  /** What it checks before an operation runs again. */
  guard?: RunGuard
  /** What it does in the transaction that ends an operation, each with the ends that it is for. */
  onEnd?: (parts: EndParts) => readonly OperationEnd[]
  /**
   * The first word of messages about one import of its channel, by the channel's id: `Sync of
   * “Photos” complete`. Absent: `Import`.
   */
  messageWords?: Readonly<Record<string, Text>>
  /** The events that it sends to webhooks. */
  events?: readonly WebhookEvent[]
  /** Its columns that contain sealed values. */
  sealed?: readonly SealedPlace[]
  /**
   * Its tables with rows of shops. A text: they contain no readable data about buyers, for this
   * reason. A generated test compares all features' tables with the live schema.
   */
  tables?: Readonly<Record<string, BuyerPlace | string>>
}

/** Infers what its functions need. */
export const defineFeature = <
  WebParts = unknown,
  TaskParts = unknown,
  PortParts = unknown,
  RequestParts = unknown,
  SweepParts = unknown,
  SendParts = unknown,
>(
  feature: Feature<WebParts, TaskParts, PortParts, RequestParts, SweepParts, SendParts>,
): Feature<WebParts, TaskParts, PortParts, RequestParts, SweepParts, SendParts> => feature
