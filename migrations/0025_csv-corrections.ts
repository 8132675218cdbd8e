// Corrections of CSV files: edited cells and left out rows, the corrections that can be undone, and
// the answers of a check that a later check of the corrected rows uses again.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table csv_uploads
      -- The progress of a check of corrected rows, {} while it waits; null: none is running.
      add recheck jsonb,
      -- The round whose problems are listed during that check.
      add checked_round integer not null default 0;

    create table csv_edits (
      shop_id integer not null,
      csv_id uuid not null,
      row integer not null,
      -- Index of the column → corrected text. The file itself does not change.
      cells jsonb not null default '{}',
      left_out boolean not null default false,
      primary key (shop_id, csv_id, row),
      foreign key (shop_id, csv_id) references csv_uploads on delete cascade
    );

    -- The rows as they were before each correction, for undo.
    create table csv_corrections (
      shop_id integer not null,
      csv_id uuid not null,
      number integer not null,
      before jsonb not null,
      primary key (shop_id, csv_id, number),
      foreign key (shop_id, csv_id) references csv_uploads on delete cascade
    );

    -- What addresses and SKUs answered, many in each row.
    create table csv_answers (
      shop_id integer not null,
      csv_id uuid not null,
      id bigint generated always as identity,
      kind text not null check (kind in ('address', 'sku')),
      answers jsonb not null,
      primary key (shop_id, csv_id, id),
      foreign key (shop_id, csv_id) references csv_uploads on delete cascade
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table csv_answers, csv_corrections, csv_edits;
    alter table csv_uploads drop checked_round, drop recheck;
  `)
}
