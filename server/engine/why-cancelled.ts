// Why an item was not started: a person cancelled the operation, or another failure ended it.
import { sayPlain } from '../../plugins/contract.ts'
import { ERRORS } from '../core/errors.ts'
import type { ItemError, OperationRow } from './types.ts'

const because = (
  code: 'operation_cancelled' | 'operation_stopped',
  message: string = ERRORS[code].message,
): ItemError => ({
  code,
  message,
  retryable: true,
})

export const CANCELLED = because('operation_cancelled')
export const STOPPED = because('operation_stopped')
export const DISCARDED = because(
  'operation_cancelled',
  sayPlain('The preview was discarded: nothing was changed'),
)

export const FAILED_PREVIEW = because(
  'operation_stopped',
  sayPlain('The preview failed: nothing was changed'),
)

export const whyCancelled = ({ stopped }: Pick<OperationRow, 'stopped'>): ItemError =>
  stopped ? STOPPED : CANCELLED
