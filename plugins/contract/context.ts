// The context that a plugin is called with: the request, the limits, and the ports that it needs.
import type { Catalog, MatchMethod } from './catalog.ts'
import type { PackWatermarks, Watermark } from './watermark.ts'
import type {
  Artifacts,
  DocumentReader,
  Documents,
  ListingReader,
  Listings,
  Notifier,
  Progress,
} from './operation.ts'
import type {
  Actions,
  Bytes,
  ContentReader,
  DeliveryPort,
  DeliveryView,
  LicenceReader,
  Licences,
  Packs,
  PastOrderReader,
  PastOrders,
  ProgramReader,
  Programs,
  RemoteFetcher,
  RemoteReader,
  Sandbox,
  Stage,
  StoredFiles,
  StoredReader,
  VirusScanner,
} from './ports.ts'

/** The shop's settings that plugins follow. */
export interface ShopSettings {
  auto_map: boolean
  /** The methods of guessing a file's product, in order. Empty: files are mapped by hand only. */
  match_by: readonly MatchMethod[]
  /** The least score of a guess that maps a file, from 0 to 1. */
  match_threshold: number
  /** Whether the message about an import names the files that have no product. */
  notify_unmapped: boolean
  email_on_complete: boolean
  email_on_errors: boolean
  recipients: readonly string[]
  /** Whether a text message is sent when a large import has ended. */
  sms_on_large_import: boolean
  sms_recipients: readonly string[]
  /** The shop's time zone, a name of the IANA list. */
  time_zone: string
  /** The saved watermark, for actions with the option `saved`. Null: none was saved. */
  watermark: Watermark | null
  /** The watermarks of packs, by `pack_…`: their files get them instead. */
  pack_watermarks: PackWatermarks
}

/** The part of the context that every plugin gets. */
export interface BaseContext {
  /** Aborts on pause, cancel, shutdown and loss of the lease: stop soon and start nothing new. */
  signal: AbortSignal
  shop: { name: string; domain: string; settings: ShopSettings }
  /** The operation, `op_…` or `import_…`; null: it is none, as when a workflow is tried on files. */
  operation: string | null
  /**
   * The requests of this operation's caller; each overrides the shop's setting of that name.
   */
  request: {
    auto_map?: boolean
    /** No product gets the files, by a rule either: they are made for one buyer. */
    private?: boolean
    notify?: boolean
    /** The bare UUID of the sync that the operation is; absent: it is no sync. */
    sync?: string
  }
  limits: {
    file_bytes: number
    large_file_bytes: number
    background: { delete: number; update: number }
    /** The number of files from which an import is large. */
    sms_files: number
  }
}

/**
 * Read-only ports, for plans. A channel with its own bytes adds its port to both, beside the
 * plugin that takes them (plugins/take-drop/port.ts).
 */
export interface ReadPorts {
  catalog: Catalog
  remote: RemoteReader
  packs: Packs
  contents: ContentReader
  stored: StoredReader
  actions: Actions
  delivery: DeliveryView
  licences: LicenceReader
  pastOrders: PastOrderReader
  programs: ProgramReader
}

/** Ports for runs, which may also write. */
export interface WritePorts extends ReadPorts {
  remote: RemoteFetcher
  stage: Stage
  stored: StoredFiles
  bytes: Bytes
  sandbox: Sandbox
  virusScanner: VirusScanner
  delivery: DeliveryPort
  licences: Licences
  pastOrders: PastOrders
  programs: Programs
}

/** Read-only ports for plans of steps on the whole operation. */
export interface OperationReadPorts extends ReadPorts {
  listings: ListingReader
  documents: DocumentReader
}

/** Ports for steps on the whole operation. */
export interface OperationPorts extends WritePorts {
  notify: Notifier
  artifacts: Artifacts
  documents: Documents
  listings: Listings
  progress: Progress
}

export type PortId = keyof OperationPorts

/**
 * The contexts of a plugin that needs these ports: for a plan, a run, and a plan and a run on the
 * whole operation.
 */
export type ReadContext<Port extends PortId = PortId> = BaseContext &
  Pick<ReadPorts, Port & keyof ReadPorts>
export type WriteContext<Port extends PortId = PortId> = BaseContext &
  Pick<WritePorts, Port & keyof WritePorts>
export type OperationReadContext<Port extends PortId = PortId> = BaseContext &
  Pick<OperationReadPorts, Port & keyof OperationReadPorts>
export type OperationContext<Port extends PortId = PortId> = BaseContext &
  Pick<OperationPorts, Port>
