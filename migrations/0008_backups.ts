// Copies of files in the backup location, with what their records said at the time.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table backups (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      -- No foreign key: a backup is there for the time when its file is gone.
      file_id uuid not null,
      hash bytea not null,
      location text not null,
      -- Name, settings, tags and mappings.
      record jsonb not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, id),
      foreign key (shop_id, hash, location) references blob_locations
    );
    create index backups_file on backups (shop_id, file_id, id desc); -- a file's backups
    create index backups_blob on backups (shop_id, hash, location); -- which backups still need a blob
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table backups')
}
