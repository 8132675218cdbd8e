// The outcome of an item whose file was admitted or changed.
import { sayPlain } from '../../plugins/contract.ts'
import { storedMessage } from '../core/texts.ts'
import type { AnyText } from '../../plugins/contract.ts'
import type { AdmissionResult } from '../files/admission.ts'
import type { PlannedResult } from '../files/preview-admissions.ts'
import type { ChangeResult } from '../files/changes.ts'
import type { Draft } from '../files/drafts.ts'
import { skippedFor, type WriteResult } from './outcome-rows.ts'

export const CHANGED_SINCE_PREVIEW = sayPlain('It has changed since the preview')

export const UNCHANGED: WriteResult = { status: 'done' }

/** The outcome of an entry whose file, with this draft, was admitted or would be. */
export function resultOfAdmission(
  draft: Draft,
  admitted: AdmissionResult | PlannedResult,
): WriteResult {
  if (admitted.status === 'refused') return refusal(admitted)
  // An existing file keeps its products; those of the draft are only for a new one.
  const mapped = 'mapped' in admitted ? admitted.mapped : draft.mappings.length > 0
  const after = { filename: admitted.filename, product_mapped: mapped }
  const created = { ...after, created: true }
  if (!('fileId' in admitted)) return { status: 'done', after: created }
  const { fileId: file_id } = admitted
  switch (admitted.status) {
    case 'created':
      return { status: 'done', file_id, after: created }
    case 'replaced':
      return { status: 'done', file_id, after: { ...after, replaced: true } }
    case 'versioned':
      return {
        status: 'done',
        file_id,
        before: { version: admitted.before },
        after: { ...after, version: admitted.version },
      }
  }
}

/** The outcome of an item whose file was changed or would be. `overtaken`: the item is tried again. */
export function resultOfChange(changed: ChangeResult): WriteResult {
  switch (changed.status) {
    case 'changed':
      return { status: 'done', ...changed.ledger }
    case 'same':
      return { status: 'done' }
    case 'overtaken':
      return { status: 'pending' }
    case 'drifted':
      return skippedFor(CHANGED_SINCE_PREVIEW)
    case 'refused':
      return refusal(changed)
  }
}

/**
 * The outcome of an item that failed. Without `retryable`, only a file in use is worth another
 * attempt.
 */
export const refusal = ({
  code,
  message,
  retryable = code === 'file_in_use',
}: {
  code: string
  message: AnyText
  retryable?: boolean
}): WriteResult => ({
  status: 'failed',
  error: { code, ...storedMessage(message), retryable },
})
