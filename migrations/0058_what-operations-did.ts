// What operations did, for history and messages: how many of the done files were as wanted already,
// how many of those of an import existed before it, and the names of files that were purged since.
import type { Knex } from 'knex'

export const undo =
  'How many files operations found as wanted already, how many files of syncs existed before, and the names of purged files in the history.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations add unchanged integer not null default 0,
      add present integer not null default 0;
    create table purged_files (
      shop_id integer not null references shops on delete cascade,
      id uuid not null,
      filename text not null,
      purged_at timestamptz not null default now(),
      primary key (shop_id, id)
    );
    create index purged_files_purged_at on purged_files (purged_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table purged_files;
    alter table operations drop unchanged, drop present;
  `)
}
