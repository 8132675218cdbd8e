// How many of the done files of an operation it found as wanted already, and how many of those of an
// import existed before it: messages and figures count them apart.
import type { Knex } from 'knex'

export const undo =
  'How many files operations found as wanted already, and how many files of syncs existed before: all count as changed or imported.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations add unchanged integer not null default 0,
      add present integer not null default 0
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table operations drop unchanged, drop present')
}
