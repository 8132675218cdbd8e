// Rules of a shop that map files by their names (mapping_rules), in the shop's order, and the files
// whose names match one.
import { nameKey, type NamePattern, type NameRule } from '../../plugins/contract/index.ts'
import type { Bindings, ShopScope } from '../core/db/for-shop.ts'
import { likeLiteral } from '../core/db/like-pattern.ts'

export const readNameRules = (scope: ShopScope): Promise<NameRule[]> =>
  scope.query<NameRule>(
    `select kind, text, product_id, variant_id, sku_template, new_files from mapping_rules
     where shop_id = :shop order by position, id`,
  )

/** SQL: the name of a file `f` matches; the same as `matchesRule`. */
export function nameMatches({ kind, text }: NamePattern): { sql: string; bindings: Bindings } {
  const key = nameKey(text)
  if (kind === 'pattern')
    return {
      sql: `(f.name_key like :nameLike
        or f.extension <> '' and left(f.name_key, -1 - length(f.extension)) like :nameLike)`,
      bindings: { nameLike: key.split('*').map(likeLiteral).join('%') },
    }
  if (kind === 'is')
    return {
      sql: `(f.name_key = :nameIs or f.extension <> '' and f.name_key = :nameIs || '.' || f.extension)`,
      bindings: { nameIs: key },
    }
  const like = `${kind === 'contains' ? '%' : ''}${likeLiteral(key)}%`
  return { sql: 'f.name_key like :nameLike', bindings: { nameLike: like } }
}
