// How far an import of orders from before the installation has come, so that it continues there
// after a crash.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table past_imports (
      shop_id integer not null,
      operation_id uuid not null,
      -- The platform's cursor after the last page whose orders were written; null: none was.
      cursor text,
      orders integer not null default 0,
      deliveries integer not null default 0,
      failed integer not null default 0,
      total integer not null,
      -- All pages were written.
      ended boolean not null default false,
      primary key (shop_id, operation_id),
      foreign key (shop_id, operation_id) references operations on delete cascade
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table past_imports')
}
