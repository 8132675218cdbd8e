// Every feature of the product, and what the start takes from all of them together.
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { Sandbox, Text } from '../plugins/contract/index.ts'
import type { Limits } from './core/configuration/limits.ts'
import type { Plans } from './core/configuration/plan-list.ts'
import type { DropAddress } from './core/configuration/drop-settings.ts'
import type { Database } from './core/db/database.ts'
import type { ShopScope } from './core/db/for-shop.ts'
import { type Makers, present } from './core/lazy.ts'
import type { Logger } from './core/log.ts'
import { MESSAGE_KINDS, type Deliverers } from './core/outbox/outbox.ts'
import type { WebhookEvent } from './core/outbox/webhook-events.ts'
import type { BackgroundTask } from './core/queue/background.ts'
import type { Secrets } from './core/secrets.ts'
import type { BlobStore } from './core/store/store.ts'
import type { AdmissionLimits } from './files/admission.ts'
import type { Effect } from './engine/effect.ts'
import { createdFiles, droppedVersions } from './engine/created-files.ts'
import type { Engine } from './engine/engine.ts'
import type {
  EngineParts,
  OperationEnd,
  OperationMessages,
  Ports,
  RunGuard,
} from './engine/parts.ts'
import { activityFeature } from './features/activity/feature.ts'
import { apiFeature } from './features/api/feature.ts'
import { buyerPageFeature } from './features/buyer-page/feature.ts'
import { cloudFeature } from './features/cloud/feature.ts'
import { callsFeature } from './features/calls/feature.ts'
import { changeLogFeature } from './features/change-log/feature.ts'
import { configurationFeature } from './features/configuration/feature.ts'
import type { ConfigurationParts } from './features/configuration/routes.ts'
import { complianceFeature } from './features/compliance/feature.ts'
import { csvFeature } from './features/csv/feature.ts'
import { documentsFeature } from './features/documents/feature.ts'
import { downloadsFeature } from './features/downloads/feature.ts'
import { dropFeature } from './features/drop/feature.ts'
import { feedsFeature } from './features/feeds/feature.ts'
import { filesFeature } from './features/files/feature.ts'
import type { SavedViewParts } from './features/files/routes/saved-view-endpoints.ts'
import { flowFeature, type FlowSendParts } from './features/flow/feature.ts'
import { homeFeature } from './features/home/feature.ts'
import { importsFeature } from './features/imports/feature.ts'
import { libraryFeature } from './features/library/feature.ts'
import { linksFeature } from './features/links/feature.ts'
import {
  mailFeature,
  type MailEndpointParts,
  type MailReach,
  type MailRequestParts,
  type MailTaskParts,
} from './features/mail/feature.ts'
import type { MailParts } from './features/mail/mail.ts'
import { mappingFeature } from './features/mapping/feature.ts'
import { mcpFeature } from './features/mcp/feature.ts'
import { messagesFeature, type MessageSendParts } from './features/messages/feature.ts'
import { moveFeature } from './features/move/feature.ts'
import { noticesFeature } from './features/notices/feature.ts'
import { operationsFeature } from './features/operations/feature.ts'
import { ordersFeature } from './features/orders/feature.ts'
import { packsFeature } from './features/packs/feature.ts'
import { preparationFeature } from './features/preparation/feature.ts'
import { previewsFeature } from './features/previews/feature.ts'
import { reportsFeature } from './features/reports/feature.ts'
import { samplesFeature } from './features/samples/feature.ts'
import { schedulesFeature } from './features/schedules/feature.ts'
import { settingsFeature } from './features/settings/feature.ts'
import { triggersFeature } from './features/triggers/feature.ts'
import { uploadFeature } from './features/upload/feature.ts'
import { webhooksFeature } from './features/webhooks/feature.ts'
import { workflowsFeature } from './features/workflows/feature.ts'
import type { Cloud } from './features/cloud/cloud.ts'
import type { ReadPreview } from './features/previews/previews.ts'
import type { Delivery } from './features/downloads/downloads.ts'
import type {
  BuyerPlaces,
  Feature,
  OutcomeEffectParts,
  HookParts,
  OperationListingParts,
  MakersOf,
  OperationMoves,
  Sweeps,
} from './features/feature.ts'
import type { FinishParts } from './features/upload/finish.ts'
import type { UploadFolder, UploadParts } from './features/upload/upload.ts'
import type { Channel } from './features/workflows/channel.ts'
import type { AccessLog } from './http/access-log.ts'
import type { Authenticator, FailureLimiter, Reach } from './http/auth.ts'
import { withChangeLog } from './http/change-log.ts'
import { withCurrentCounts, withInvalidation } from './http/current-counts.ts'
import type { Endpoint } from './http/endpoint.ts'
import type { Examples } from './http/example.ts'
import type { Readiness } from './http/health.ts'
import type { Mount, RawMount, Origins } from './http/listen.ts'
import type { PageSource } from './http/page.ts'
import type { RateLimiter } from './http/router.ts'
import type { StateMetrics } from './http/state-metrics.ts'
import type { GuardedClient } from './ports/guarded-fetch.ts'
import type { WholeBlobs } from './files/whole-blobs.ts'
import type { CheckBlob } from './ports/repair.ts'
import type { StagePlace } from './ports/catalog.ts'
import type { Refreshed } from './storefront/mirror/product-change.ts'
import type { Storefront } from './storefront/storefront.ts'
import { FEATURE_CHANGES, type FeatureChanges } from './storefront/apply-changes.ts'

/** What the endpoints and the other routes need. */
export interface WebParts extends MailReach {
  database: Database
  engine: Engine
  storefront: Storefront
  delivery: Delivery
  stores: ReadonlyMap<string, BlobStore>
  /** Reads the bytes of files and documents. */
  blobs: WholeBlobs
  secrets: Secrets
  uploads: UploadParts
  /** Where the page sends large uploads; null: only to this server. */
  bucketOrigin: string | null
  channels: readonly Channel[]
  cloud: Cloud
  /** Child processes for the untrusted files of a shop. */
  sandboxOf: (shop: number) => Sandbox
  readPreview: ReadPreview
  /** Requests to addresses that merchants chose. */
  client: GuardedClient
  /** Rejects if this server cannot send to an address. */
  reach: Reach
  /** The address of the drop server for merchants. */
  drop: DropAddress
  limits: Limits
  page: PageSource
  baseUrl: string
  /** The address that the operator states; null: that of each request. */
  ownUrl: string | null
  demo: boolean
  trustProxy: boolean
  /** The bearer token that readers of /metrics must send. */
  metricsToken?: string | null
  readiness: Readiness
  /** Absent: requests are not logged. */
  accessLog?: AccessLog | undefined
  /** Folders of unfinished files, by name, whose size the metrics report. */
  stagingFolders: Readonly<Record<string, string>>
  clock: () => Date
  log: Logger
  /** The events that webhooks can receive. */
  events: readonly WebhookEvent[]
  plans: Plans | null
  mail: MailEndpointParts['mail'] & MailRequestParts['mail']
}

/** What requests that are no endpoints need. */
export interface RequestParts extends WebParts {
  failures: FailureLimiter
  authenticator: Authenticator
  rateLimiter: RateLimiter
  endpoints: readonly Endpoint[]
}

/** What the background tasks need. */
export interface TaskParts extends MailTaskParts {
  database: Database
  engine: Engine
  /** The engine's parts for workflows on deliveries. */
  engineParts: EngineParts
  storefront: Storefront
  stores: ReadonlyMap<string, BlobStore>
  folder: UploadFolder
  client: GuardedClient
  /** Child processes for the untrusted files of a shop. */
  sandboxOf: (shop: number) => Sandbox
  cloud: Cloud
  limits: Limits
  plans: Plans | null
  /** What happens to each table with data about buyers. */
  places: BuyerPlaces
  /** The events of all features. */
  events: readonly WebhookEvent[]
  secrets: Secrets
  /** The start of the addresses that this server gives to others. */
  baseUrl: string
  clock: () => Date
  log: Logger
}

/** What the ports of one shop need. */
export interface PortParts {
  scope: ShopScope
  /** Where new bytes are stored. */
  place: StagePlace
  stores: ReadonlyMap<string, BlobStore>
  check: CheckBlob
  uploads: UploadFolder
  cloud: Cloud
  storefront: Storefront
  secrets: Secrets
  client: GuardedClient
  baseUrl: string
  clock: () => Date
}

/** What the sweeps need. */
export interface SweepParts {
  database: Database
  uploads: FinishParts
  clock: () => Date
  log: Logger
}

/** What those that deliver messages need. */
export interface SendParts extends FlowSendParts, MailParts, MessageSendParts {
  /** The events of all features. */
  events: readonly WebhookEvent[]
}

type EndpointParts = WebParts &
  SavedViewParts &
  OperationMoves &
  Pick<ConfigurationParts, 'endpointOf'>

type AnyFeature = Feature<EndpointParts, TaskParts, PortParts, RequestParts, SweepParts, SendParts>

/** All features, in the order of the API's document. */
export const FEATURES: readonly AnyFeature[] = checkFeatures([
  homeFeature,
  importsFeature,
  uploadFeature,
  csvFeature,
  moveFeature,
  apiFeature,
  dropFeature,
  cloudFeature,
  feedsFeature,
  filesFeature,
  previewsFeature,
  samplesFeature,
  packsFeature,
  linksFeature,
  downloadsFeature,
  ordersFeature,
  libraryFeature,
  preparationFeature,
  reportsFeature,
  operationsFeature,
  // Before workflows, whose ids would take `.yaml` at the end of an address.
  configurationFeature,
  workflowsFeature,
  triggersFeature,
  schedulesFeature,
  mappingFeature,
  buyerPageFeature,
  settingsFeature,
  complianceFeature,
  changeLogFeature,
  noticesFeature,
  mailFeature,
  messagesFeature,
  webhooksFeature,
  callsFeature,
  flowFeature,
  mcpFeature,
  activityFeature,
  documentsFeature,
])

/** Throws if two features state the same: a name, a table, a port, a kind of message … */
export function checkFeatures(features: readonly AnyFeature[]): readonly AnyFeature[] {
  refuseTwice(
    'The feature',
    features.map(({ name }) => name),
  )
  refuseTwice(
    'The table',
    features.flatMap(({ tables = {} }) => Object.keys(tables)),
  )
  refuseTwice(
    'The port',
    features.flatMap(({ ports = {} }) => Object.keys(ports)),
  )
  refuseTwice(
    'The kind of message',
    features.flatMap(({ sends = {} }) => Object.keys(sends)),
  )
  refuseTwice(
    'The mail',
    features.flatMap(({ mails = {} }) => Object.keys(mails)),
  )
  refuseTwice(
    'The maker of',
    features.flatMap(({ listings }) => (listings ? ['documents of operations'] : [])),
  )
  refuseTwice(
    'The message about operations',
    features.flatMap(({ operationMessages = {} }) => Object.keys(operationMessages)),
  )
  refuseTwice(
    'The move',
    features.flatMap(({ moves = {} }) => Object.keys(moves)),
  )
  refuseTwice(
    'The change',
    features.flatMap(({ changes = {} }) => Object.keys(changes)),
  )
  refuseTwice(
    'The event',
    features.flatMap(({ events = [] }) => events.map(({ name }) => name)),
  )
  return features
}

function refuseTwice(what: string, names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) throw new Error(`${what} ${twice} is listed twice`)
}

export function allEndpoints(given: WebParts): Endpoint[] {
  const parts: EndpointParts = {
    ...given,
    confirmSync: (scope, about) => moves.confirmSync(scope, about),
    workflowOfSchedule: (scope, id) => moves.workflowOfSchedule(scope, id),
    listEndpointOf: (path) => {
      const list = endpoints.find((one) => one.method === 'get' && one.path === path)
      if (!list?.query) throw new Error(`No list has the path ${path}`)
      return { ...list, query: list.query }
    },
    endpointOf: (address) =>
      present(
        endpoints.find(({ method, path }) => address === `${method.toUpperCase()} ${path}`),
        address,
      ),
  }
  const moves = makeEach<EndpointParts, OperationMoves>(
    ['confirmSync', 'workflowOfSchedule'],
    FEATURES.map(({ moves: stated }) => stated),
    parts,
  )
  const stated: Endpoint[] = FEATURES.flatMap(({ endpoints: endpointsOf, changesDelivery }) =>
    (endpointsOf?.(parts) ?? [])
      .map((each) => (changesDelivery ? withInvalidation(parts.delivery, each) : each))
      .map((each) => withCurrentCounts(parts.delivery, each)),
  )
  const endpoints = stated.map((each) => withChangeLog(each, stated))
  refuseTwice(
    'The endpoint',
    endpoints.map(({ method, path }) => `${method} ${path}`),
  )
  return endpoints
}

/** Requests that are no endpoints. */
export const allRequests = (parts: RequestParts): (Mount | RawMount)[] =>
  FEATURES.flatMap(({ requests }) => requests?.(parts) ?? [])

export const REQUEST_PATHS: ZodOpenApiPathsObject = Object.assign(
  {},
  ...FEATURES.map(({ requestPaths }) => requestPaths),
)

/** What is allowed to pages of other origins, by origin. */
export const ORIGINS: Origins = Object.assign({}, ...FEATURES.map(({ origins }) => origins))

/** The documented examples, by method and path. */
export const EXAMPLES: Examples = Object.assign({}, ...FEATURES.map(({ examples }) => examples))

/** What delivers each kind of message. Throws if a kind has no feature. */
export const allDeliverers = (parts: Omit<SendParts, 'events' | 'mailWriters'>): Deliverers =>
  makeEach<SendParts, Deliverers>(
    MESSAGE_KINDS,
    FEATURES.map(({ sends }) => sends),
    { ...parts, events: EVENTS, mailWriters: MAIL_WRITERS },
  )

const MAIL_WRITERS = new Map(FEATURES.flatMap(({ mails = {} }) => Object.entries(mails)))

/** What applies the platform's changes. Throws if a kind has no feature. */
export const allChanges = (parts: TaskParts): FeatureChanges =>
  makeEach<TaskParts, FeatureChanges>(
    FEATURE_CHANGES,
    FEATURES.map(({ changes }) => changes),
    parts,
  )

function makeEach<Parts, Made>(
  names: readonly (keyof Made)[],
  stated: readonly (MakersOf<Parts, Made> | undefined)[],
  parts: Parts,
): Made {
  const makers = Object.assign({}, ...stated) as MakersOf<Parts, Made>
  const made = names.map((name) => [name, present(makers[name], String(name))(parts)] as const)
  return Object.fromEntries(made) as Made
}

/** What follows a change of the catalog's mirror. */
export function allRefreshed(parts: TaskParts): Refreshed {
  const each = FEATURES.flatMap(({ refreshed }) => refreshed?.(parts) ?? [])
  return (scope, result) => Promise.all(each.map((run) => run(scope, result)))
}

export const allTasks = (parts: TaskParts): BackgroundTask[] =>
  FEATURES.flatMap(({ tasks }) => tasks?.(parts) ?? [])

/** Throws if two have one name. */
export function allSweeps(parts: SweepParts): Sweeps {
  const all = FEATURES.map(({ sweeps }) => sweeps?.(parts) ?? {})
  refuseTwice('The sweep', all.flatMap(Object.keys))
  return Object.assign({}, ...all)
}

/** The ports of one shop that features give to plugins. */
export const featurePorts = (parts: PortParts): Partial<Makers<Ports>> =>
  Object.fromEntries(
    FEATURES.flatMap(({ ports = {} }) =>
      Object.entries(ports).map(([name, create]) => [name, () => create(parts)]),
    ),
  )

export const allMetrics: readonly StateMetrics[] = FEATURES.flatMap(({ metrics }) => metrics ?? [])

/** Effects of outcomes, in the order in which they are written: first those of the file itself. */
export function allEffects(
  parts: OutcomeEffectParts & { limits: AdmissionLimits },
): readonly Effect[] {
  const effects = [
    createdFiles(parts.limits),
    droppedVersions,
    ...FEATURES.flatMap(({ effects }) => effects?.(parts) ?? []),
  ]
  refuseTwice(
    'The effect',
    effects.map(({ name }) => name),
  )
  return effects
}

/** The first words of messages about imports, by channel. */
export const MESSAGE_WORDS: ReadonlyMap<string, Text> = new Map(
  FEATURES.flatMap(({ messageWords = {} }) => Object.entries(messageWords)),
)

/** The events that webhooks can receive. */
export const EVENTS: readonly WebhookEvent[] = FEATURES.flatMap(({ events }) => events ?? [])

/** Throws if a plugin announces an event that no feature declares. */
export function allEnds(parts: HookParts): readonly OperationEnd[] {
  for (const { id, announces = [] } of parts.plugins)
    for (const event of announces)
      if (!EVENTS.some(({ name }) => name === event))
        throw new Error(`The plugin ${id} announces ${event}, an event that no feature declares`)
  return FEATURES.flatMap(({ onEnd }) => onEnd?.({ ...parts, events: EVENTS }) ?? [])
}

/** Makes the documents of an operation. */
export const allListings = (parts: OperationListingParts): EngineParts['listings'] =>
  present(
    FEATURES.find(({ listings }) => listings)?.listings,
    'The feature with documents of operations',
  )(parts)

/** The messages about an operation. */
export const OPERATION_MESSAGES = Object.assign(
  {},
  ...FEATURES.map(({ operationMessages }) => operationMessages),
) as OperationMessages

/** What is checked before an operation runs again. */
export const GUARDS: readonly RunGuard[] = FEATURES.flatMap(({ guard }) => guard ?? [])

/** The tables with rows of shops, by name. Exported for the test that compares them with the schema. */
export const TABLES: NonNullable<Feature['tables']> = Object.assign(
  {},
  ...FEATURES.map(({ tables }) => tables),
)

/** The tables of `TABLES` that have data about buyers. */
export const BUYER_PLACES: BuyerPlaces = Object.fromEntries(
  Object.entries(TABLES).flatMap(([table, place]) =>
    typeof place === 'string' ? [] : [[table, place]],
  ),
)
