// What operations leave beside changed files: files that they made, documents to be fetched, wishes that came with a row.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A change that came with the item: of a CSV row that names a file which exists.
    alter table items add column wanted jsonb;
    -- Without a ledger no items are written: its steps work on all files at once, in their frozen order.
    alter table operations add column ledger boolean not null default true;

    -- Files that an operation made of others: parts of a document, a merged one.
    create table created_files (
      shop_id integer not null,
      operation_id uuid not null,
      -- Of the item that it was made of; -1 - the step's index where a step on the whole operation made it.
      position integer not null,
      ordinal integer not null,
      file_id uuid not null,
      primary key (shop_id, operation_id, position, ordinal),
      foreign key (shop_id, operation_id) references operations on delete cascade
    );

    -- What an operation produced: an export, a list of links.
    create table artifacts (
      shop_id integer not null,
      operation_id uuid not null,
      hash bytea not null,
      location text not null,
      filename text not null,
      content_type text not null,
      size_bytes bigint not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, operation_id),
      foreign key (shop_id, operation_id) references operations on delete cascade,
      foreign key (shop_id, hash, location) references blob_locations
    );
    create index artifacts_blob on artifacts (shop_id, hash, location); -- which artifacts still need a blob
    alter table operations drop column artifact;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations add column artifact jsonb;
    drop table artifacts, created_files;
    alter table operations drop column ledger;
    alter table items drop column wanted;
  `)
}
