// The columns of a file that a change may write, with their types.
import { settingColumns } from '../../plugins/contract/index.ts'

export const COLUMN_TYPES = {
  filename: 'text',
  name_key: 'text',
  extension: 'text',
  content_type: 'text',
  ...settingColumns(),
  tags: 'text[]',
  version: 'int',
  size_bytes: 'bigint',
  mapping_state: 'text',
  deleted_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

export type Column = keyof typeof COLUMN_TYPES
export type FileColumns = Partial<Record<Column, unknown>>

/** Placeholder for the transaction's time, for `deleted_at` and `updated_at`. */
export const TRANSACTION_TIME = 'now'
