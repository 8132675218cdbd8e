import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- How often the mail of a link was sent.
    create index outbox_link on outbox (shop_id, (payload ->> 'link'), id)
      where payload ->> 'link' is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index outbox_link')
}
