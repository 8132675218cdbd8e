// Operations whose steps only plan, but ask the outside for it: their batches are planned while no transaction is open.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations add column asks boolean not null default false;
    -- The claim of the chain that plans it; free again once no chain has that.
    alter table item_batches add column lease bigint;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table item_batches drop column lease; alter table operations drop column asks')
}
