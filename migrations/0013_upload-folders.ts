import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The folders in which processes keep uploads, each known by the marker in it. There should be
    -- one.
    create table upload_folders (
      number int generated always as identity primary key,
      marker uuid not null unique,
      created_at timestamptz not null default now()
    );
    alter table uploads
      -- Where the bytes are; null: the upload is older than this column.
      add column folder int references upload_folders (number);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table uploads drop column folder;
    drop table upload_folders;
  `)
}
