// Replies that are kept for an Idempotency-Key are sealed: some carry the addresses of buyers' links.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  // Those of before can't be kept in the open. Asked for again they are given anew: whatever they started has a key of its own.
  await knex.raw(`alter table idempotency_keys drop column response, add column reply bytea`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table idempotency_keys drop column reply, add column response json`)
}
