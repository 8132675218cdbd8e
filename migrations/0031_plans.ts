// The plan that a shop pays for, where the operator has plans. Without them the table stays empty, and
// nothing is limited by it.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table shop_plans (
      shop_id integer primary key references shops on delete cascade,
      -- Its id in app.config.ts; null: the shop has none, and may add nothing.
      plan text,
      title text not null,
      -- As they were when it was read: {files, storage_bytes, monthly_downloads}, null: no limit.
      limits jsonb not null,
      features text[] not null,
      -- The platform's subscription: until when its trial runs, and whether it ends with its cycle.
      trial_ends_at timestamptz,
      ends boolean not null default false,
      read_at timestamptz not null default now()
    )
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table shop_plans')
}
