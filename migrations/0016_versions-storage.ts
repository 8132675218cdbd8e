// Versions that can be gone back to, copies in other locations, and the blobs that nothing needs any more.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table versions
      -- The file's name when these bytes came: going back to a JPEG that became a WebP gives its ending back too.
      add column filename text,
      -- Replaced by an operation that was told not to keep it: it is there for as long as that can be undone.
      add column expires_at timestamptz;
    create index versions_expired on versions (expires_at) where expires_at is not null; -- the sweep

    -- A copy that was asked for, the original staying where it is.
    create table file_copies (
      shop_id integer not null,
      file_id uuid not null,
      hash bytea not null,
      location text not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, file_id, hash, location),
      foreign key (shop_id, file_id) references files on delete cascade,
      foreign key (shop_id, hash, location) references blob_locations
    );
    create index file_copies_blob on file_copies (shop_id, hash, location); -- which copies still need a blob

    -- Since when no version, backup, copy or artifact needs it: after a grace period it goes.
    alter table blob_locations add column unneeded_since timestamptz;
    create index blob_locations_unneeded on blob_locations (unneeded_since) where unneeded_since is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table blob_locations drop column unneeded_since;
    drop table file_copies;
    alter table versions drop column filename, drop column expires_at;
  `)
}
