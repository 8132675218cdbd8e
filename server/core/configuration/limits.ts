// The limits of an installation and their defaults.
export interface Limits {
  /** Maximum size of a JSON body. */
  body_bytes: number
  entries_per_import: number
  /** Of an import whose entries are sent as lines, and the maximum size of that body. */
  lines_per_import: number
  lines_bytes: number
  reads_per_minute: number
  writes_per_minute: number
  /** The limit of all API keys of a shop together, in addition to each key's own limit. */
  shop_reads_per_minute: number
  shop_writes_per_minute: number
  /** Limits of one shop: files, trash excluded, and the bytes of all kept versions. */
  shop_files: number
  shop_storage_bytes: number
  /** Unfinished uploads, and the bytes that they announced or that wait to be imported. */
  shop_open_uploads: number
  shop_upload_bytes: number
  /** Operations that are waiting, running or paused, and unconfirmed previews. */
  shop_waiting_operations: number
  /** Requests with a wrong key or token, from one address. */
  failed_sign_ins_per_minute: number
  /** Maximum size of one file. */
  file_bytes: number
  /** Maximum size of all files together that wait in a shop's drop folders. */
  drop_waiting_bytes: number
  /** Maximum number of files that a cloud connection may list. */
  cloud_files: number
  /** A file with more bytes is imported with a warning. */
  large_file_bytes: number
  /** Above this many files, a deletion or another change runs in the background. */
  background_delete: number
  background_update: number
  /** An import of this many files is reported by text message, if the shop wants that. */
  sms_files: number
  ids_per_call: number
  /** How long the caller of an import waits for its end before the answer 202. */
  wait_seconds: number
  /**
   * Concurrent batches in one worker that use bytes or external systems; one shop gets at most half
   * of them.
   */
  jobs_at_once: number
  /**
   * A batch or background run that takes longer counts as slow: three slow ones for each usual place may
   * run, so that shops whose servers do not answer do not delay others.
   */
  slow_after_seconds: number
}

export const DEFAULT_LIMITS: Limits = {
  body_bytes: 5 * 1024 ** 2,
  entries_per_import: 1000,
  lines_per_import: 100_000,
  lines_bytes: 128 * 1024 ** 2,
  reads_per_minute: 600,
  writes_per_minute: 120,
  shop_reads_per_minute: 1800,
  shop_writes_per_minute: 360,
  shop_files: 1_000_000,
  shop_storage_bytes: 5 * 1024 ** 4,
  shop_open_uploads: 10_000,
  shop_upload_bytes: 1024 ** 4,
  shop_waiting_operations: 1000,
  failed_sign_ins_per_minute: 30,
  file_bytes: 5 * 1024 ** 3,
  drop_waiting_bytes: 100 * 1024 ** 3,
  cloud_files: 500_000,
  large_file_bytes: 500 * 1024 ** 2,
  background_delete: 100,
  background_update: 500,
  sms_files: 1000,
  ids_per_call: 10_000,
  wait_seconds: 30,
  jobs_at_once: 8,
  slow_after_seconds: 5,
}
