import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table drop_accounts
      -- Of file names that FTP clients send otherwise than in UTF-8.
      add column name_encoding text not null default 'utf-8';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table drop_accounts drop column name_encoding')
}
