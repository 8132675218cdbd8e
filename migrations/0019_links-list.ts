// Lists of a shop's links that stay quick with a million of them.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Links of one buyer, and those whose address begins so.
    create index links_email on links (shop_id, (lower(email) collate "C"), id) where email is not null;
    -- The few that a merchant ended. Nothing else that decides a link's state may be indexed: counting a download then would
    -- write every index, not the row alone.
    create index links_revoked on links (shop_id, id) where revoked_at is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index links_email, links_revoked')
}
