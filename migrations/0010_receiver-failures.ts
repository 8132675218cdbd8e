import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Receivers of posts that did not answer; a row is deleted when its receiver accepts a message.
    create table receiver_failures (
      shop_id integer not null references shops on delete cascade,
      -- The webhook's id, or the host and port of a callback's address.
      receiver text collate "C" not null,
      failures smallint not null default 1, -- consecutive attempts without an answer
      retry_at timestamptz, -- no message is posted before; null: there is no pause
      failed_at timestamptz not null,
      primary key (shop_id, receiver)
    );
    create index receiver_failures_age on receiver_failures (failed_at); -- the sweep
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table receiver_failures')
}
