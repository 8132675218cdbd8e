// The context that a plugin is called with: the request, the limits, and the ports that it needs.
import type { Catalog, MatchMethod } from './catalog.ts'
import type { Watermark } from './watermarks.ts'
import type { Artifacts, Listings, Notifier, Progress } from './operation-ports.ts'
import type {
  Actions,
  Bytes,
  Cloud,
  CloudReader,
  DeliveryPort,
  DeliveryView,
  DropFolders,
  DropReader,
  LicenceReader,
  Licences,
  Packs,
  PastOrderReader,
  PastOrders,
  RemoteFetcher,
  RemoteReader,
  Sandbox,
  Stage,
  StoredFiles,
  StoredReader,
  UploadReader,
  Uploads,
} from './ports.ts'

/** The shop's settings that plugins follow. */
export interface ShopSettings {
  auto_map: boolean
  /** Empty: files are mapped by hand only. */
  match_by: readonly MatchMethod[]
  /** 0 to 1. */
  match_threshold: number
  /** The message about an import names the files that have no product. */
  notify_unmapped: boolean
  email_on_complete: boolean
  email_on_errors: boolean
  recipients: readonly string[]
  /** A text message when a large import has ended. */
  sms_on_large_import: boolean
  sms_recipients: readonly string[]
  /** A name of the IANA list. */
  time_zone: string
  /** What the action for watermarks uses if it is told to; null: none was saved. */
  watermark: Watermark | null
}

/** The part of the context that every plugin gets. */
export interface BaseContext {
  /** Aborts on pause, cancel, shutdown and loss of the lease: stop soon and start nothing new. */
  signal: AbortSignal
  shop: { name: string; domain: string; settings: ShopSettings }
  /**
   * The requests of this operation's caller; each overrides the shop's setting of that name.
   */
  request: {
    auto_map?: boolean
    notify?: boolean
    /** If the operation is a sync: the sync's bare UUID. */
    sync?: string
  }
  limits: {
    file_bytes: number
    large_file_bytes: number
    background: { delete: number; update: number }
    /** An import of so many files is large. */
    sms_files: number
  }
}

/** Read-only ports, for plans. */
export interface ReadPorts {
  catalog: Catalog
  remote: RemoteReader
  uploads: UploadReader
  drop: DropReader
  cloud: CloudReader
  packs: Packs
  stored: StoredReader
  actions: Actions
  delivery: DeliveryView
  licences: LicenceReader
  pastOrders: PastOrderReader
}

/** Ports for runs. */
export interface WritePorts extends ReadPorts {
  remote: RemoteFetcher
  uploads: Uploads
  drop: DropFolders
  cloud: Cloud
  stage: Stage
  stored: StoredFiles
  bytes: Bytes
  sandbox: Sandbox
  delivery: DeliveryPort
  licences: Licences
  pastOrders: PastOrders
}

/** Ports for steps on the whole operation. */
export interface OperationPorts extends WritePorts {
  notify: Notifier
  artifacts: Artifacts
  listings: Listings
  progress: Progress
}

export type PortId = keyof OperationPorts

/** The names of all ports. */
export const PORTS = Object.keys({
  ...{
    catalog: 0,
    remote: 0,
    uploads: 0,
    drop: 0,
    cloud: 0,
    packs: 0,
    stored: 0,
    actions: 0,
    stage: 0,
    bytes: 0,
  },
  ...{ sandbox: 0, notify: 0, artifacts: 0, listings: 0, delivery: 0, licences: 0 },
  ...{ pastOrders: 0, progress: 0 },
} satisfies Record<PortId, 0>) as PortId[]

/**
 * The contexts of a plugin that needs these ports: for a plan, a run, and a run on the whole
 * operation.
 */
export type ReadContext<Port extends PortId = PortId> = BaseContext &
  Pick<ReadPorts, Port & keyof ReadPorts>
export type WriteContext<Port extends PortId = PortId> = BaseContext &
  Pick<WritePorts, Port & keyof WritePorts>
export type OperationContext<Port extends PortId = PortId> = BaseContext &
  Pick<OperationPorts, Port>
