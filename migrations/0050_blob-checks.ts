// When the bytes of a blob were last read and compared with their hash, and which versions' bytes are damaged.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Null: when they were written, which is when they were hashed.
    alter table blob_locations add column checked_at timestamptz;
    create index blob_locations_checked on blob_locations (coalesce(checked_at, created_at)); -- those whose turn it is
    -- With the version, not with the blob: delivery reads the version's row in any case.
    alter table versions add column damaged boolean not null default false;
    create index versions_damaged on versions (shop_id, hash, location) where damaged; -- those to be looked at again
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index versions_damaged;
    alter table versions drop column damaged;
    drop index blob_locations_checked;
    alter table blob_locations drop column checked_at;
  `)
}
