import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What the drop servers refused to strangers and clients, of all processes.
    create table drop_refusal_counts (
      reason text primary key,
      count bigint not null
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table drop_refusal_counts')
}
