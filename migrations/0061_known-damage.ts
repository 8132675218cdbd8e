// Damage that was found is known to every process before the next byte is sent: also that of a
// buyer's own copy. The session of a download names the version that it sent, so that a part of
// another one does not continue it.
import type { Knex } from 'knex'

export const undo = 'Which bytes were found damaged, and which version a download has begun with.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table blob_locations add damaged_since timestamptz;
    -- Damage that was reported before is not reported again.
    update blob_locations b set damaged_since = now() from versions v
      where v.damaged and v.shop_id = b.shop_id and v.hash = b.hash and v.location = b.location;
    alter table prepared_files add damaged boolean not null default false;
    create index prepared_files_damaged on prepared_files (shop_id, hash, location) where damaged;
    alter table download_sessions add hash bytea;
    -- The writing that placed the bytes of a file that no import has had: they are removed with it.
    alter table drop_entries add placed text;
    -- Bytes that no drop folder names any more and that could not be removed: until they are gone
    -- they count as waiting.
    alter table blob_locations add dropped_at timestamptz;
    create index blob_locations_dropped on blob_locations (shop_id) where dropped_at is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index prepared_files_damaged;
    alter table prepared_files drop damaged;
    alter table blob_locations drop damaged_since;
    alter table download_sessions drop hash;
    alter table drop_entries drop placed;
    drop index blob_locations_dropped;
    alter table blob_locations drop dropped_at;
  `)
}
