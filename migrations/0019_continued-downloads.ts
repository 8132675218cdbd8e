// A download that broke off can be started again within its session without being counted: sessions
// know what their buyer has not received yet.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  for (const table of ['download_sessions', 'archive_sessions'])
    await knex.raw(`
      alter table ${table}
        -- A hash of the client's network. Null: the session is continued by its client alone.
        add column network bytea,
        -- The client that continues the session in place of the one that began it.
        add column successor bytea,
        -- Bytes of counted copies that were not sent when their transfers had ended.
        add column missing bigint not null default 0,
        -- Where the bytes end that were sent: a client in another network may continue before it.
        add column sent_to bigint not null default 0,
        -- Transfers of whole copies that are running, as long as their process extends this time.
        add column open integer not null default 0,
        add column open_until timestamptz;
      create index ${table}_network on ${table} (link_id, network) where network is not null;
    `)
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['download_sessions', 'archive_sessions'])
    await knex.raw(`
      drop index ${table}_network;
      alter table ${table} drop column network, drop column successor, drop column missing,
        drop column sent_to, drop column open, drop column open_until;
    `)
}
