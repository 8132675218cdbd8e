// What waits to be imported: CSV files with the results of their checks and the shop's saved column
// mappings, and uploads from browsers.
import type { Knex } from 'knex'

const CSV = `
  create table csv_uploads (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    filename text not null,
    status text not null default 'uploading'
      check (status in ('uploading', 'ready', 'checking', 'checked', 'started')),
    size_bytes bigint not null default 0,
    -- Encoding, delimiter and number format; null until the first read.
    format jsonb,
    headers text[] not null default '{}',
    rows integer not null default 0,
    -- The first rows' cells, for the preview, and the first problems of the structure.
    sample jsonb not null default '[]',
    structure jsonb not null default '[]',
    -- Field → header.
    mapping jsonb not null default '{}',
    saved_mapping text,
    -- Incremented when a check starts, changes its worker or ends early: results of an older round
    -- are ignored.
    round integer not null default 0,
    check_options jsonb,
    progress jsonb,
    -- The heartbeat of the check. Null: no worker has it.
    beaten_at timestamptz,
    attempts smallint not null default 0,
    failure text,
    operation_id uuid,
    created_at timestamptz not null default now(),
    -- The second operation, for the rows that name existing files.
    update_operation_id uuid,
    -- When the check was requested. Not null, so that any two can be compared.
    queued_at timestamptz not null default now(),
    primary key (shop_id, id),
    foreign key (shop_id, operation_id) references operations on delete set null (operation_id),
    constraint csv_uploads_update_fkey foreign key (shop_id, update_operation_id)
      references operations on delete set null (update_operation_id)
  );
  create index csv_uploads_checking on csv_uploads (beaten_at)
    where status = 'checking'; -- read twice a second
  create index csv_uploads_age on csv_uploads (created_at); -- the sweep
  create index csv_uploads_operation on csv_uploads (shop_id, operation_id)
    where operation_id is not null; -- deleted operations
  create index csv_uploads_update on csv_uploads (shop_id, update_operation_id)
    where update_operation_id is not null; -- deleted operations

  create table csv_chunks (
    shop_id integer not null,
    csv_id uuid not null,
    number integer not null,
    bytes bytea not null,
    primary key (shop_id, csv_id, number),
    foreign key (shop_id, csv_id) references csv_uploads on delete cascade
  );
  -- Not compressed: they are kept for a day, and compression costs more than it saves.
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
    -- The problem's ordinal in the check: one cell may have several.
    number integer not null default 0,
    primary key (shop_id, csv_id, round, row, place, number),
    foreign key (shop_id, csv_id) references csv_uploads on delete cascade
  );

  create table csv_column_mappings (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    -- The headers that it applies to, without case and order.
    headers_key text not null,
    mapping jsonb not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, id),
    unique (shop_id, name)
  );
  create index csv_column_mappings_headers on csv_column_mappings (shop_id, headers_key); -- automatic use
`

const UPLOADS = `
  create table upload_batches (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    -- The number of files announced. The import starts automatically with the last of them.
    count integer check (count > 0),
    -- The caller's options: auto_map, notify.
    request jsonb not null,
    requested_by text not null,
    created_at timestamptz not null default now(),
    -- The import that takes in the batch's files as they arrive.
    operation_id uuid,
    primary key (shop_id, id)
  );

  -- The bytes are in the data folder, under the upload's id. The length there counts; offset_bytes
  -- follows it.
  create table uploads (
    shop_id integer not null references shops on delete cascade,
    id uuid not null,
    batch_id uuid,
    -- received: all bytes arrived. imported: a file has them. failed: not resumed in time.
    status text not null default 'uploading'
      check (status in ('uploading', 'received', 'imported', 'failed')),
    filename text not null,
    size_bytes bigint not null,
    offset_bytes bigint not null default 0,
    -- The start of a chunk whose checksum is not verified yet: after a crash, bytes from here on
    -- are discarded.
    unproved_from bigint,
    on_conflict text not null,
    tags text[] not null,
    -- As the client wrote it, to be returned unchanged.
    metadata jsonb not null,
    requested_by text not null,
    operation_id uuid,
    -- Its position in that operation.
    position integer,
    created_at timestamptz not null default now(),
    -- Of an unfinished upload; postponed by every byte.
    expires_at timestamptz not null,
    received_at timestamptz,
    settled_at timestamptz,
    -- Files of one name in a batch are imported in the order in which their uploads began.
    name_key text,
    primary key (shop_id, id),
    foreign key (shop_id, batch_id) references upload_batches on delete cascade,
    foreign key (shop_id, operation_id) references operations on delete set null (operation_id)
  );
  create index uploads_batch on uploads (shop_id, batch_id); -- a batch's uploads
  create index uploads_operation on uploads (shop_id, operation_id)
    where operation_id is not null; -- deleted operations
  create index uploads_open on uploads (expires_at) where status = 'uploading'; -- the sweep
  create index uploads_of_shop on uploads (shop_id) where status = 'uploading'; -- a shop's open ones
  create index uploads_waiting on uploads (received_at) where status = 'received'; -- the sweep
  create index uploads_name on uploads (shop_id, batch_id, name_key) where batch_id is not null;
`

export async function up(knex: Knex): Promise<void> {
  await knex.raw([CSV, UPLOADS].join('\n'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table uploads, upload_batches, csv_column_mappings, csv_problems, csv_chunks, csv_uploads
  `)
}
