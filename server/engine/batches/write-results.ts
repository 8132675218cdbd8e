// The outcome of an item whose file was admitted or changed.
import type { AdmissionResult } from '../../files/admission.ts'
import type { PlannedResult } from '../../files/preview-admissions.ts'
import type { ChangeResult } from '../../files/changes.ts'
import type { WorkItem } from '../types.ts'
import { skippedFor, type WriteResult } from './outcome-rows.ts'

export const CHANGED_SINCE_PREVIEW = 'It has changed since the preview'

export const UNCHANGED: WriteResult = { status: 'done' }

export function resultOfAdmission(
  { draft }: WorkItem,
  admitted: AdmissionResult | PlannedResult,
): WriteResult {
  if (admitted.status === 'refused') return refusal(admitted)
  // An existing file keeps its products; those of the draft are only for a new one.
  const mapped = 'mapped' in admitted ? admitted.mapped : draft!.mappings.length > 0
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

export const refusal = ({
  code,
  message,
  retryable = code === 'file_in_use',
}: {
  code: string
  message: string
  retryable?: boolean
}): WriteResult => ({
  status: 'failed',
  error: { code, message, retryable },
})
