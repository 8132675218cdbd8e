// Databases on which migrations ran that were squashed since. The squashed ones end in the same
// schema, so only their names have to be recorded.
import type { Knex } from 'knex'

const FIRST_43 = [
  '0001_shops',
  '0002_files',
  '0003_links',
  '0004_operations',
  '0005_operation-lifecycle',
  '0006_workflows-schedules',
  '0007_messages',
  '0008_backups',
  '0009_item-batches',
  '0010_catalog',
  '0011_csv',
  '0012_retention',
  '0013_uploads',
  '0014_packs',
  '0015_results',
  '0016_versions-storage',
  '0017_links-delivery',
  '0018_download-notices',
  '0019_links-list',
  '0020_foreseen-names',
  '0021_csv-updates',
  '0022_bytes-saved',
  '0023_delivery-indexes',
  '0024_foreseen',
  '0025_rounds',
  '0026_sealed-replies',
  '0027_delivery-facts',
  '0028_csv-checks',
  '0029_match-again',
  '0032_name-holders',
  '0033_batches-uncompressed',
  '0034_items-without-key',
  '0035_asking-batches',
  '0036_delivery-without-keys',
  '0040_token-leases-profiles',
  '0042_sku-parts',
  '0044_name-order',
  '0045_open-operations',
  '0046_preview-ends',
  '0047_items-have-reasons',
  '0048_operation-label',
  '0050_blob-checks',
  '0052_addresses-without-queries',
]

const FIRST_6 = [
  '0001_shops-and-access',
  '0002_files-and-blobs',
  '0003_operations',
  '0004_catalog-and-reviews',
  '0005_csv-and-uploads',
  '0006_delivery',
]

const ADDED_SINCE = [
  '0007_operations-unfinished',
  '0008_strategies-are-derived',
  '0009_background-tasks',
  '0010_workflow-channels',
  '0011_link-changes-notify',
  '0012_drop',
  '0013_drop-import',
  '0014_drop-figures',
  '0015_cloud',
  '0016_orders-and-deliveries',
  '0017_demo-orders',
  '0018_buyer-pages',
  '0019_webhooks',
  '0020_customer-data',
  '0021_delivery-workflows',
  '0026_order-batches',
  '0027_renewed-copies',
  '0029_licence-warnings',
  '0030_flow',
  '0031_plans',
  '0032_preview-names',
]

const BY_AREA = [
  '0001_shops-and-plans',
  '0002_files-blobs-packs',
  '0003_operations-and-messages',
  '0004_products-and-reviews',
  '0005_channels',
  '0006_orders-and-links',
]

export interface Squash {
  replaced: readonly string[]
  /** The migrations that end in the same schema. No name of one list is in the other. */
  by: readonly string[]
}

/** Oldest first. A database may need several of them. */
export const SQUASHES: readonly Squash[] = [
  { replaced: FIRST_43, by: FIRST_6 },
  { replaced: [...FIRST_6, ...ADDED_SINCE], by: BY_AREA },
]

/**
 * Records squashed migrations as applied if all that they replace were applied. The old names stay:
 * a process of the previous version may still restart during an upgrade, and would apply its
 * migrations a second time without them.
 *
 * Throws if only some of them were applied, and names the first missing one. Applying the
 * squashed ones would then fail on the tables that exist.
 */
export async function recordSquashed(knex: Knex): Promise<void> {
  for (const squash of SQUASHES) await recordOne(knex, squash)
}

async function recordOne(knex: Knex, { replaced, by }: Squash): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    'select name from knex_migrations where name = any(?)',
    [[...replaced, ...by]],
  )
  const applied = new Set(rows.map(({ name }) => name))
  if (by.some((name) => applied.has(name))) return
  const missing = replaced.filter((name) => !applied.has(name))
  if (missing.length === replaced.length) return
  if (missing.length > 0)
    throw new Error(
      `This database was last migrated by an older version: ${missing[0]} is not applied. ` +
        `Start the last version that contains migrations/${replaced.at(-1)}.ts once, then this one. ` +
        'In a clone, this command prints its commit: ' +
        `git rev-parse $(git log -1 --format=%h --diff-filter=D -- migrations/${replaced.at(-1)}.ts)^`,
    )
  await knex.raw(
    `insert into knex_migrations (name, batch, migration_time)
     select name, 1, now() from unnest(?::text[]) with ordinality as s(name, place) order by place`,
    [[...by]],
  )
}
