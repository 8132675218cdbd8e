// Uploads from browsers: what has come of each, and the batches in which they were sent.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table upload_batches (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      -- So many files are meant to come: with the last of them the import starts by itself.
      count integer check (count > 0),
      -- What the caller asked for: auto_map, notify.
      request jsonb not null,
      requested_by text not null,
      created_at timestamptz not null default now(),
      primary key (shop_id, id)
    );

    -- The bytes lie in the data folder, under the upload's id. Their number there is the truth; offset_bytes follows it.
    create table uploads (
      shop_id integer not null references shops on delete cascade,
      id uuid not null,
      batch_id uuid,
      -- received: all bytes are here. imported: a file has them. failed: nobody tried again in time.
      status text not null default 'uploading' check (status in ('uploading', 'received', 'imported', 'failed')),
      filename text not null,
      size_bytes bigint not null,
      offset_bytes bigint not null default 0,
      -- Where a chunk began whose checksum is not proved yet: what a crash left after it does not count.
      unproved_from bigint,
      on_conflict text not null,
      tags text[] not null,
      -- As the client wrote it, to be told again.
      metadata jsonb not null,
      requested_by text not null,
      operation_id uuid,
      -- Its place in that operation.
      position integer,
      created_at timestamptz not null default now(),
      -- Of an unfinished one; put off by every byte.
      expires_at timestamptz not null,
      received_at timestamptz,
      settled_at timestamptz,
      primary key (shop_id, id),
      foreign key (shop_id, batch_id) references upload_batches on delete cascade,
      foreign key (shop_id, operation_id) references operations on delete set null (operation_id)
    );
    create index uploads_batch on uploads (shop_id, batch_id); -- a batch's uploads
    create index uploads_operation on uploads (shop_id, operation_id)
      where operation_id is not null; -- operations that are swept away
    create index uploads_open on uploads (expires_at) where status = 'uploading'; -- the sweep
    create index uploads_of_shop on uploads (shop_id) where status = 'uploading'; -- how many a shop has open
    create index uploads_waiting on uploads (received_at) where status = 'received'; -- the sweep
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table uploads, upload_batches')
}
