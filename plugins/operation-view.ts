// An operation as its own last steps see it, and what they report.
import type { Item, StagedFile, Warning } from './items.ts'
import type { AnyText } from './texts.ts'

/** An operation as its own last steps see it. */
export interface OperationView {
  id: string
  action: string
  /** The title of its workflow. */
  title: string
  total: number
  done: number
  failed: number
  skipped: number
  /** The done files that were as wanted already, so that nothing was changed; of an import 0. */
  unchanged: number
  cancelled: number
  /** How many bytes fewer its files have than before; negative if they have more. */
  bytes_saved: number
  status: 'success' | 'partial' | 'failed' | 'cancelled'
  /** Why the whole operation ended early. Null or absent: it did not. */
  stopped?: { code: string; message: AnyText } | null
  started_at: Date
  /** What it is about, in addition to its action. */
  about: OperationSubject
  /**
   * Counts an import's done items whose files existed before it: a sync changes some, moves some to
   * the trash, and sends some to the provider without a change here.
   */
  present(): Promise<PresentFiles>
  /**
   * Counts the paid deliveries, neither revoked nor withdrawn, that lost a file because it was
   * moved to the trash.
   */
  lostDeliveries(): Promise<number>
  /** All items in order, a page at a time, with their results. */
  items(): AsyncIterable<readonly FinishedItem[]>
  /**
   * Only the items that failed or have a warning. With `products`, also items that are done and
   * have no product; of an import, only files that it brought.
   */
  reported(products: boolean): AsyncIterable<readonly ReportedItem[]>
}

export interface OperationSubject {
  /** What an import of its channel is called in a title: `Import`, `Sync`. */
  importWord: AnyText
  /** The name of its connection or table, or its first file and the number of others. */
  label: AnyText | null
  /** The name of the schedule that started it. */
  schedule: string | null
}

export interface PresentFiles {
  changed: number
  trashed: number
  unchanged: number
}

/** An item in a message: its file's name and its result. */
export interface ReportedItem extends Pick<
  FinishedItem,
  'status' | 'error' | 'product_mapped' | 'warnings'
> {
  filename: string
  /** The source address, without query, user info and fragment. */
  url: string | null
}

export interface FinishedItem extends Item {
  status: 'done' | 'failed' | 'skipped' | 'cancelled'
  error: { code: string; message: AnyText; detail?: AnyText } | null
  product_mapped: boolean
  warnings: readonly Warning[]
}

export interface OperationReport {
  warnings?: readonly Warning[]
  /**
   * New files, identified by (step, place in this list). Their settings are the shop's defaults.
   */
  created?: readonly StagedFile[]
}
