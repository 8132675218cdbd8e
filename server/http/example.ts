// A documented example: a complete request and the status of its answer. A test sends every
// example, with ids and addresses that exist in the test.

export interface Example {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  /** The body, as JSON. */
  body?: unknown
  /** The body, if it is not JSON. */
  content?: { type: string; text: string }
  /** The same body as lines, if the endpoint takes both. */
  lines?: string
  status: number
}

/** Examples by method and path, as `get /api/files/{id}`. */
export type Examples = Readonly<Record<string, Example>>

const id = (prefix: string, place: number) =>
  `${prefix}_0199c2f5d2c07f0a9b7e3f4a5b6c7d${place.toString(16).padStart(2, '0')}`

/** The ids in the examples. */
export const IDS = {
  file: id('file', 1),
  /** Another file of the same pack. */
  second_file: id('file', 2),
  public_file: id('file', 3),
  /** A file without a picture. */
  text_file: id('file', 93),
  pack: id('pack', 4),
  template: id('template', 5),
  key: id('key', 6),
  link: id('link', 7),
  import: id('import', 8),
  /** An operation that has ended and can be undone. */
  operation: id('op', 9),
  running_operation: id('op', 10),
  paused_operation: id('op', 11),
  preview: id('op', 12),
  failed_operation: id('op', 13),
  /** An operation with a document. */
  export: id('op', 14),
  workflow: id('workflow', 15),
  /** A hook of another workflow. */
  trigger: id('trigger', 92),
  schedule: id('schedule', 16),
  review: id('review', 17),
  csv: id('csv', 18),
  checked_csv: id('csv', 19),
  columns: id('columns', 20),
  batch: id('batch', 21),
  /** A complete upload that is in no import. */
  received_upload: id('upload', 22),
  unfinished_upload: id('upload', 23),
  notice: id('notice', 24),
  message: id('message', 25),
  drop_account: id('account', 26),
  webhook: id('webhook', 27),
  webhook_message: id('message', 28),
  dropped_file: id('dropped', 29),
  /** A dropped file whose import failed. */
  failed_drop: id('dropped', 30),
  connection: id('connection', 31),
  feed: id('feed', 100),
  feed_run: id('run', 101),
  delivery: id('delivery', 32),
  move: id('move', 95),
  customer_data: id('answer', 96),
  licence_list: id('licences', 97),
  rule: id('rule', 98),
  saved_view: id('saved', 99),
  backup: id('backup', 93),
  /** A key of a buyer. */
  licence_key: id('licence', 94),
} as const
export type ExampleId = keyof typeof IDS

/** The address of a buyer who has a link. */
export const BUYER = 'ada@example.com'

/** An address to fetch a file from. */
export const SOURCE = 'https://cdn.example.com/guide.pdf'
/** An address of a table. */
export const TABLE = 'https://cdn.example.com/feed.csv'
export const PRODUCT = 'gid://shopify/Product/1'
