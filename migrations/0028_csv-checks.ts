// Checks of CSV files wait in the order in which they were asked for; and one cell may have more than one problem.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- When its check was asked for. Not null, so that any two can be compared.
    alter table csv_uploads add column queued_at timestamptz not null default now();

    alter table csv_problems
      -- Which problem of the check it is, in the order in which they were found.
      add column number integer not null default 0,
      drop constraint csv_problems_pkey,
      add primary key (shop_id, csv_id, round, row, place, number);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from csv_problems p where exists (select from csv_problems o where (o.shop_id, o.csv_id, o.round, o.row, o.place) =
      (p.shop_id, p.csv_id, p.round, p.row, p.place) and o.number < p.number);
    alter table csv_problems drop constraint csv_problems_pkey, drop column number,
      add primary key (shop_id, csv_id, round, row, place);
    alter table csv_uploads drop column queued_at;
  `)
}
