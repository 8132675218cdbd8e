// Figures of drop accounts, for metrics; and which process has a connection, so that those of one
// that died are not open for ever.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table drop_accounts
      add column received_files bigint not null default 0,
      add column received_bytes bigint not null default 0,
      add column refusals bigint not null default 0;
    alter table drop_connections add column process integer;
    create index drop_connections_open on drop_connections (process) where ended_at is null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index drop_connections_open;
    alter table drop_connections drop column process;
    alter table drop_accounts drop column received_files, drop column received_bytes,
      drop column refusals;
  `)
}
