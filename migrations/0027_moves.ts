// Exports of other apps that a shop moves from: their rows until they are imported, and which file came
// from which address, so that the same export imports nothing twice.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table moves (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      filename text not null,
      -- What was recognised: the app, and which of its tables.
      app text not null,
      source text not null,
      kind text not null check (kind in ('files', 'buyers')),
      -- Which columns are read as what, and which are not read.
      columns jsonb not null,
      counts jsonb not null,
      operation_id uuid,
      started_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (shop_id, id)
    );
    create index moves_age on moves (created_at);

    -- What the rows of an export say. Removed when the export cannot be started or undone any more.
    create table move_rows (
      shop_id integer not null,
      move_id uuid not null,
      number integer not null,
      -- The buyer, in an export of buyers.
      email text,
      data jsonb not null,
      primary key (shop_id, move_id, number),
      foreign key (shop_id, move_id) references moves on delete cascade
    );

    -- The links that a started export of buyers creates.
    create table move_access (
      shop_id integer not null,
      move_id uuid not null,
      file_id uuid not null,
      email text not null,
      -- Absent terms are the file's own settings.
      own_limit boolean not null,
      download_limit integer,
      own_expiry boolean not null,
      expires_at timestamptz,
      primary key (shop_id, move_id, file_id, email),
      foreign key (shop_id, move_id) references moves on delete cascade,
      foreign key (shop_id, file_id) references files on delete cascade
    );

    -- The files that moves import: the place in the operation until it has ended, then the file.
    create table moved_files (
      shop_id integer not null references shops on delete cascade,
      -- No foreign key: history is shorter.
      operation_id uuid not null,
      position integer not null,
      -- SHA-256 of the address, which may contain a secret.
      address bytea not null,
      -- What other exports of that app call the file or its product: id:12, sku:eb-1, title:guide.
      refs text[] not null,
      -- The days that links were valid in the other app, if its export said so.
      expiry_days integer,
      file_id uuid,
      primary key (shop_id, operation_id, position),
      foreign key (shop_id, file_id) references files on delete cascade
    );
    create index moved_files_address on moved_files (shop_id, address);
    create index moved_files_file on moved_files (shop_id, file_id);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table moved_files, move_access, move_rows, moves')
}
