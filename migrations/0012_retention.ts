// What the sweeps of old operations have done already.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- kept: all of it. results: before and after are gone, since the time for undoing is over. record: its items are gone too.
    alter table operations add column detail text not null default 'kept' check (detail in ('kept', 'results', 'record'));
    create index operations_old on operations (detail, finished_at) where finished_at is not null; -- the sweeps
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index operations_old; alter table operations drop column detail')
}
