// What the base of a cloud sync leaves out: syncs of an earlier folder, and objects whose files an
// undo removed here.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The connection has another folder since: its outcomes say nothing about that folder.
    alter table syncs add column obsolete boolean not null default false;
    -- An undo removed its file here: a two-way sync does not delete the object.
    alter table cloud_files add column undone boolean not null default false
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_files drop column undone;
    alter table syncs drop column obsolete
  `)
}
