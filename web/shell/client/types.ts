// The API's types under the page's names. They come from the OpenAPI document (api.gen.ts); only
// what that leaves open is written here. Times are ISO 8601, sizes bytes.
import type { components } from './api.gen.ts'

export type Schemas = components['schemas']

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

export type Session = Schemas['Session']
export type Activity = Schemas['Activity']

export type File = Schemas['File']
export type Mapping = File['mappings'][number]

/** The settings of a file that a merchant can change. */
export type FileSettings = Pick<
  File,
  | 'expiry_days'
  | 'download_limit'
  | 'visibility'
  | 'cdn'
  | 'download_notification'
  | 'download_tracking'
  | 'allowed_referrers'
>

/** The query parameters of the list of files. Every given condition must hold. */
export type FileFilter = Schemas['Schedule']['filter']

export type Selection = { file_ids: readonly string[] } | { filter: FileFilter }

export interface FileDetail extends File {
  links_active: number
  storage: Schemas['FileStorage']
}

export type FilesImpact = Schemas['FilesImpact']

export interface FileList extends Page<File> {
  /** Matching files on all pages together. */
  total: number
}

export type TagCount = Schemas['TagCount']

export type DownloadLink = Schemas['Link']
export type LinkStatus = DownloadLink['status']

export interface NewLink extends Required<
  Pick<Schemas['LinksRequest'], 'file_ids' | 'expiry_days' | 'download_limit'>
> {
  email?: string
}

export type Warning = Operation['warnings'][number]

/** `filter`: the given one. */
export type OperationSource =
  | Exclude<Schemas['Operation']['source'], { type: 'filter' }>
  | { type: 'filter'; filter: FileFilter }

export type OperationStep = Operation['steps'][number]

export interface Operation extends Omit<Schemas['Operation'], 'source'> {
  source: OperationSource
}
export type OperationStatus = Operation['status']
export type OperationKind = Operation['kind']
export type OperationAction = Operation['actions'][number]

/** A document that an operation has produced. `url` requires a session. */
export type Artifact = NonNullable<Operation['artifact']>

/** What to start: an action with its options, or a workflow, on a selection of files. */
export type NewOperation = ({ action: string } | { workflow: string }) & {
  select: Selection
} & Partial<Pick<Schemas['OperationRequest'], 'options' | 'dry_run'>>

/** A file's fields before or after: only those that the operation changed or would change. */
export interface ItemState extends Partial<FileSettings> {
  filename?: string
  deleted?: boolean
  version?: number
  /** Of the current version. */
  size_bytes?: number
  /** The pack's name; null: in no pack. */
  pack?: string | null
  /** Only in `after`. */
  tags?: { added: string[]; removed: string[] }
  mappings?: { added: ItemMapping[]; removed: ItemMapping[] }
  created?: boolean
  replaced?: boolean
  purged?: boolean
  /** Names of the files that were created from it. */
  created_files?: string[]
  /** A buyer's link was created, or would be. */
  link?: unknown
  /** Deliveries whose buyers get an email, or would; with `orders`: past buyers who get the file. */
  buyers?: number
  /** Orders whose buyers get the file, or would. */
  orders?: number
}

export interface Item extends Omit<Schemas['Item'], 'before' | 'after'> {
  before: ItemState | null
  after: ItemState | null
}
export type ItemStatus = Item['status']
export type ItemMapping = Pick<
  Item['candidates'][number],
  'product_id' | 'product_title' | 'variant_id'
>

export type Notice = Schemas['Notice']

export interface NoticeList extends Page<Notice> {
  unread: number
}

export type ShopSettings = Schemas['Settings']
/** How a file's product is found. */
export type MatchMethod = ShopSettings['match_by'][number]

export type Message = Schemas['Message']
export type ErrorDetail = Schemas['Error']['error']['details'][number]
