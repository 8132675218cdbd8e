// CSV files on their way in: kept for a day with what their check found; and the column mappings that a shop has saved.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table csv_uploads (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      filename text not null,
      status text not null default 'uploading' check (status in ('uploading', 'ready', 'checking', 'checked', 'started')),
      size_bytes bigint not null default 0,
      -- How it is to be read; null until it has been.
      format jsonb,
      headers text[] not null default '{}',
      rows integer not null default 0,
      -- The first rows' cells, for the preview, and the first problems of its structure.
      sample jsonb not null default '[]',
      structure jsonb not null default '[]',
      -- Field → header.
      mapping jsonb not null default '{}',
      saved_mapping text,
      -- Raised by whoever starts, takes over or gives up a check: results of an older round are nobody's.
      round integer not null default 0,
      check_options jsonb,
      progress jsonb,
      -- Null: no worker has the check.
      beaten_at timestamptz,
      attempts smallint not null default 0,
      failure text,
      operation_id uuid,
      created_at timestamptz not null default now(),
      primary key (shop_id, id),
      foreign key (shop_id, operation_id) references operations on delete set null (operation_id)
    );
    create index csv_uploads_checking on csv_uploads (beaten_at) where status = 'checking'; -- asked twice a second
    create index csv_uploads_age on csv_uploads (created_at); -- the sweep
    create index csv_uploads_operation on csv_uploads (shop_id, operation_id)
      where operation_id is not null; -- operations that are swept away

    create table csv_chunks (
      shop_id integer not null,
      csv_id uuid not null,
      number integer not null,
      bytes bytea not null,
      primary key (shop_id, csv_id, number),
      foreign key (shop_id, csv_id) references csv_uploads on delete cascade
    );
    -- They live for a day: squeezing them would cost more than it saves.
    alter table csv_chunks alter column bytes set storage external;

    create table csv_problems (
      shop_id integer not null,
      csv_id uuid not null,
      round integer not null,
      -- As a spreadsheet counts: the header is row 1.
      row integer not null,
      -- Which of the fields; 0 is the row as a whole.
      place smallint not null,
      "column" text,
      severity text not null check (severity in ('error', 'warning')),
      code text not null,
      message text not null,
      detail text,
      value text,
      primary key (shop_id, csv_id, round, row, place),
      foreign key (shop_id, csv_id) references csv_uploads on delete cascade
    );

    create table csv_column_mappings (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      name text not null,
      -- The headers that it is for, compared without case and order.
      headers_key text not null,
      mapping jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (shop_id, id),
      unique (shop_id, name)
    );
    create index csv_column_mappings_headers on csv_column_mappings (shop_id, headers_key); -- applied by itself
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table csv_column_mappings, csv_problems, csv_chunks, csv_uploads')
}
