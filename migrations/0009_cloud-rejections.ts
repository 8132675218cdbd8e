// Objects of cloud connections that cannot be imported, in the version that was refused.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table cloud_rejections (
      shop_id integer not null references shops on delete cascade,
      connection_id uuid not null,
      path text collate "C" not null,
      size_bytes bigint not null,
      hash text,
      modified_at timestamptz,
      code text not null,
      message text not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, connection_id, path),
      foreign key (shop_id, connection_id) references connections on delete cascade
    );
    -- Set when its failure is recorded in cloud_rejections: once, even if that row is deleted later.
    alter table sync_changes add column rejected boolean not null default false
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sync_changes drop column rejected;
    drop table cloud_rejections
  `)
}
