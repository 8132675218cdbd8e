// Documents that operations produced, kept as long as the operations' results.
import type { ShopScope } from '../core/db/for-shop.ts'
import type { LocatedFile } from './list.ts'

export interface Artifact {
  filename: string
  content_type: string
  size_bytes: number
}

/** SQL: the artifact of a row of `operations` as JSON, or null. */
export const ARTIFACT = `(
  select json_build_object('filename', a.filename, 'content_type', a.content_type, 'size_bytes',
    a.size_bytes)
  from artifacts a where a.shop_id = operations.shop_id and a.operation_id = operations.id)`

/** The location of an operation's artifact; null: the operation (a bare UUID) has none. */
export const locateArtifact = (scope: ShopScope, operation: string): Promise<LocatedFile | null> =>
  scope.first<LocatedFile>(
    `select encode(hash, 'hex') as hash, location, size_bytes, filename, content_type,
       created_at as modified_at from artifacts
     where shop_id = :shop and operation_id = :operation`,
    { operation },
  )
