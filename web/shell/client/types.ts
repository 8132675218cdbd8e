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

/** The settings of a file that a merchant can change, as a file shows them. */
export type FileSettings = Pick<
  File,
  keyof File & Exclude<keyof Schemas['FileChange'], 'filename' | 'tags'>
>

/** The query parameters of the list of files. Every given condition must hold. */
export type FileFilter = Schemas['Schedule']['filter']

export type Selection = { file_ids: readonly string[] } | { filter: FileFilter }

/** A file as its own page shows it. */
export type FileDetail = Schemas['Endpoints']['GET /api/files/{id}']['answer']

export type FilesImpact = Schemas['FilesImpact']
export type TagCount = Schemas['TagCount']

export type DownloadLink = Schemas['Link']
export type LinkStatus = DownloadLink['status']

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
  /** What a virus scanner found in it, or why it was released. */
  quarantine?: { found: string } | { released: string }
  filename?: string
  deleted?: boolean
  version?: number
  /** The size of the current version. */
  size_bytes?: number
  /** The names of packs that it entered and left; only in `after`. */
  packs?: { added: string[]; removed: string[] }
  /** The changed tags; only in `after`. */
  tags?: { added: string[]; removed: string[] }
  mappings?: { added: ItemMapping[]; removed: ItemMapping[] }
  created?: boolean
  replaced?: boolean
  /** It had the bytes of the import, and all that it stated. */
  same_bytes?: boolean
  purged?: boolean
  /** An archive that was unpacked: how many files are in it; null: that is known later. */
  unpacked?: number | null
  /** Names of the files that were created from it. */
  created_files?: string[]
  /** A buyer's link was created, or would be. */
  link?: unknown
  /** Deliveries whose buyers get an email, or would; with `orders`: past buyers who get the file. */
  buyers?: number
  /** How many programs it was sent to. */
  posted?: number
  /** Links that were created for buyers of another app. */
  links?: number
  /** Orders whose buyers get the file, or would. */
  orders?: number
}

export interface Item extends Omit<Schemas['Item'], 'before' | 'after'> {
  before: ItemState | null
  after: ItemState | null
}
/** What a trial of a workflow found for one file. */
export interface TriedFile extends Omit<Schemas['TriedFile'], 'before' | 'after'> {
  before: ItemState | null
  after: ItemState | null
}
export type ItemStatus = Item['status']
export type ItemMapping = Pick<
  Item['candidates'][number],
  'product_id' | 'product_title' | 'variant_id'
> &
  Partial<Pick<Mapping, 'method' | 'reason' | 'reason_text'>>

export type Notice = Schemas['Notice']

export type ShopSettings = Schemas['Settings']
/** How a file's product is found. */
export type MatchMethod = ShopSettings['match_by'][number]

export type Message = Schemas['Message']
export type ErrorDetail = Schemas['Error']['error']['details'][number]

/** The part of JSON Schema that describes a plugin's options. */
export interface JsonSchema {
  type?: string
  title?: string
  description?: string
  /** The widget, if the type does not determine one. */
  widget?: string
  /** Labels of the values, in their order. */
  choices?: Readonly<Record<string, string>>
  /** The help below the label of a value. */
  hints?: Readonly<Record<string, string>>
  /** The label of "not given". */
  absent?: string
  /** What a sketch shows instead of parts of the text. */
  samples?: Readonly<Record<string, string>>
  /** 0.3 is shown as 30 %. */
  percent?: boolean
  /** The initial value of a dialog's field without a default. */
  start?: unknown
  placeholder?: string
  suffix?: string
  /** The message if it is required and missing. */
  missing?: string
  /** The problem if it is empty while other options have these values. */
  needed?: { when: Readonly<Record<string, unknown>>; text: string }
  /** The question before the action runs with one of these values; messages with the facts. */
  confirm?: { when: readonly unknown[]; text: string; button: string }
  /** The offered extensions of an option that is a file, and what such files are called. */
  files?: { extensions: readonly string[]; one: string; many: string }
  /** A secret: not kept in history. */
  sensitive?: boolean
  default?: unknown
  enum?: readonly unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  minProperties?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
  anyOf?: readonly JsonSchema[]
}

export interface Plugin extends Omit<Schemas['Plugin'], 'options'> {
  options: JsonSchema
}

/** The conditions on a file for a step to apply; every given one must hold. */
export type Condition = Omit<
  FileFilter,
  | 'find'
  | 'name_contains'
  | 'storage'
  | 'backed_up'
  | 'released'
  | 'quarantined'
  | 'licence_list'
  | 'deleted'
>

export interface WorkflowStep extends Omit<
  Schemas['Workflow']['steps'][number],
  'when' | 'branch'
> {
  when?: Condition
  branch?: { id: string; when: Condition; else: boolean }
}

export interface Workflow extends Omit<Schemas['Workflow'], 'steps'> {
  steps: WorkflowStep[]
}
