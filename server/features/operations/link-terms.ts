// Checks the terms of single files in an operation that creates links: each must name a selected
// file, because terms of other files would be ignored silently.
import { say } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { OperationSource } from '../../engine/freeze.ts'
import type { ErrorDetail } from '../../core/errors.ts'
import { compileFilter } from '../../files/filter.ts'
import { requirePublicId } from '../../core/ids.ts'

/**
 * Finds the files with own terms that are not selected. `perFile`: the option of the action
 * `create-links`, with well-formed ids.
 */
export async function unselected(
  scope: ShopScope,
  source: OperationSource,
  perFile: readonly { file_id: string }[],
): Promise<ErrorDetail[]> {
  const ids = perFile.map(({ file_id }) => requirePublicId('file', file_id))
  const selected = await selectedOf(scope, source, ids)
  return ids.flatMap((id, at): ErrorDetail[] => {
    const param = `options.per_file[${at}].file_id`
    return selected.has(id)
      ? []
      : [{ param, code: 'invalid_value', message: say('This file is not selected') }]
  })
}

async function selectedOf(
  scope: ShopScope,
  source: OperationSource,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (source.type === 'files') return new Set(source.ids)
  if (source.type !== 'filter' || ids.length === 0) return new Set(ids)
  const { sql, bindings } = await compileFilter(scope, source.filter)
  const rows = await scope.query<{ id: string }>(
    `select id from files where files.shop_id = :shop and files.id = any(:ids::uuid[]) and ${sql}`,
    { ...bindings, ids },
  )
  return new Set(rows.map(({ id }) => id))
}
