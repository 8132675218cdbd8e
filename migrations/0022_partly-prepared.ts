// A delivery whose files are ready in part: its buyer was told that a further mail follows.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A mail to the buyer names files that are being prepared: another one follows when they are ready.
    alter table delivery_runs add mail_follows boolean not null default false;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table delivery_runs drop mail_follows')
}
