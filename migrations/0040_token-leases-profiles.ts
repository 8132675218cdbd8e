// Who trades or renews a shop's platform token at the moment, and what the platform last said about
// the shop itself.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A row rather than a lock: nothing is held open while the platform is asked.
    create table token_leases (
      shop_id integer primary key references shops on delete cascade,
      holder uuid not null,
      expires_at timestamptz not null
    );

    alter table shops
      -- As the platform has it: email, time_zone. A setting that equals it follows its changes.
      add column profile jsonb,
      add column profile_due_at timestamptz not null default '-infinity';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table shops drop column profile, drop column profile_due_at;
    drop table token_leases;
  `)
}
