// What an operation's rounds and ends need to be told apart, and how old messages of no operation are found.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Items that had ended when the present round began: what remains is reckoned from the others.
    alter table operations add column ended_before integer not null default 0;
    -- Workers that died while they held it, since it was last let go or got on.
    alter table chains add column deaths smallint not null default 0;
    -- The sweep of those that go with no operation.
    create index notices_alone on notices (created_at) where operation_id is null;
    create index outbox_alone on outbox (created_at) where operation_id is null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index notices_alone, outbox_alone;
    alter table chains drop column deaths;
    alter table operations drop column ended_before;
  `)
}
