// Tag templates: lists of tags that a shop has saved under a name, to use again.
import { say } from '../../../plugins/contract/index.ts'
import { isTaken } from '../../core/db/error-classes.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { countInTurn } from '../../core/db/shop-maximum.ts'
import { AppError } from '../../core/errors.ts'
import { nameKey, normalizeTags } from '../../files/rules.ts'

export interface TagTemplate {
  /** The bare UUID of the template. */
  id: string
  name: string
  tags: string[]
  created_at: Date
}

const MAX_TEMPLATES = 500
const COLUMNS = 'id, name, tags, created_at'

/** Lists templates by name. `after`: the key of the previous page's last name (`nameKey`). */
export const listTemplates = (
  scope: ShopScope,
  { after, limit }: { after: string; limit: number },
): Promise<TagTemplate[]> =>
  scope.query<TagTemplate>(
    `select ${COLUMNS} from tag_templates where shop_id = :shop and name_key > :after
      order by name_key limit :limit`,
    { after, limit },
  )

/** Throws `not_found`. */
export async function requireTemplate(scope: ShopScope, id: string): Promise<TagTemplate> {
  const [template] = await scope.query<TagTemplate>(
    `select ${COLUMNS} from tag_templates where shop_id = :shop and id = :id`,
    { id },
  )
  if (!template) throw new AppError('not_found')
  return template
}

/**
 * Creates a template. Throws `conflict` if the name is taken, or if the shop has the maximum
 * number.
 */
export async function createTemplate(
  scope: ShopScope,
  { name, tags }: { name: string; tags: readonly string[] },
): Promise<TagTemplate> {
  return scope.transaction(async (tx) => {
    const count = await countInTurn(tx, 'tag_templates where shop_id = :shop')
    const key = nameKey(name)
    const same = 'select from tag_templates where shop_id = :shop and name_key = :key'
    if (await tx.has(same, { key })) throw nameTaken()
    if (count >= MAX_TEMPLATES)
      throw new AppError('conflict', {
        message: say('A shop has at most {most} tag templates', { most: MAX_TEMPLATES }),
      })
    const [row] = await tx.query<TagTemplate>(
      `insert into tag_templates (shop_id, name, name_key, tags)
       values (:shop, :name, :key, :tags::text[])
       on conflict (shop_id, name_key) do nothing returning ${COLUMNS}`,
      { name: name.normalize('NFC'), key, tags: normalizeTags(tags) },
    )
    // Another one was renamed meanwhile.
    if (!row) throw nameTaken()
    return row
  })
}

/**
 * Changes a template; absent fields stay unchanged. Throws `not_found`, and `conflict` if the name
 * is taken.
 */
export async function changeTemplate(
  scope: ShopScope,
  id: string,
  { name, tags }: { name?: string | undefined; tags?: readonly string[] | undefined },
): Promise<TagTemplate> {
  try {
    const [row] = await scope.query<TagTemplate>(
      `update tag_templates set name = coalesce(:name, name), name_key = coalesce(:key, name_key),
         tags = coalesce(:tags::text[], tags), updated_at = now()
       where shop_id = :shop and id = :id returning ${COLUMNS}`,
      {
        id,
        name: name?.normalize('NFC') ?? null,
        key: name === undefined ? null : nameKey(name),
        tags: tags ? normalizeTags(tags) : null,
      },
    )
    if (row) return row
  } catch (error) {
    throw isTaken(error, 'tag_templates_shop_id_name_key_key') ? nameTaken() : error
  }
  throw new AppError('not_found')
}

/** Deletes a template. Throws `not_found`. */
export async function deleteTemplate(scope: ShopScope, id: string): Promise<void> {
  await deleteRow(scope, 'tag_templates', id)
}

const nameTaken = () =>
  new AppError('conflict', { param: 'name', message: say('Another template has this name') })
