// Where files come from: CSV lists, browser uploads, the drop server, cloud connections, tables at
// addresses, and exports of other apps.
import { freesBlobs } from '../server/core/db/blob-references.ts'
import { firstSchema } from '../server/core/db/migration-steps.ts'

const SCHEMA = `
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
    failure text,
    operation_id uuid,
    created_at timestamptz not null default now(),
    -- The second operation, for the rows that name existing files.
    update_operation_id uuid,
    -- When the check was requested. Not null, so that any two can be compared.
    queued_at timestamptz not null default now(),
    -- The progress of a check of corrected rows, {} while it waits; null: none is running.
    recheck jsonb,
    -- The round whose problems are listed during that check.
    checked_round integer not null default 0,
    primary key (shop_id, id),
    foreign key (shop_id, operation_id) references operations on delete set null (operation_id),
    constraint csv_uploads_update_fkey foreign key (shop_id, update_operation_id)
      references operations on delete set null (update_operation_id)
  );
  create index csv_uploads_checking on csv_uploads (queued_at)
    where status = 'checking'; -- the sweep
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
    message_values jsonb,
    detail_values jsonb,
    primary key (shop_id, csv_id, round, row, place, number),
    foreign key (shop_id, csv_id) references csv_uploads on delete cascade
  );

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
  -- Automatic use.
  create index csv_column_mappings_headers on csv_column_mappings (shop_id, headers_key);

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
    -- When its page asked for it or bytes arrived, to the minute: the import ends minutes after.
    seen_at timestamptz not null default now(),
    primary key (shop_id, id)
  );
  create index upload_batches_open on upload_batches (seen_at)
    where operation_id is not null; -- the task that ends their imports

  -- The folders in which processes keep uploads, each known by the marker in it. There should be
  -- one.
  create table upload_folders (
    number int generated always as identity primary key,
    marker uuid not null unique,
    created_at timestamptz not null default now()
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
    name_key text collate "C",
    -- Where the bytes are; null: the upload is older than this column.
    folder int references upload_folders (number),
    primary key (shop_id, id),
    foreign key (shop_id, batch_id) references upload_batches on delete cascade,
    foreign key (shop_id, operation_id) references operations on delete set null (operation_id)
  );
  create index uploads_batch on uploads (shop_id, batch_id); -- a batch's uploads
  create index uploads_operation on uploads (shop_id, operation_id)
    where operation_id is not null; -- deleted operations
  create index uploads_open on uploads (expires_at) where status = 'uploading'; -- the sweep
  create index uploads_of_shop on uploads (shop_id)
    where status = 'uploading'; -- a shop's open ones
  create index uploads_waiting on uploads (received_at) where status = 'received'; -- the sweep
  create index uploads_name on uploads (shop_id, batch_id, name_key) where batch_id is not null;

  -- The bytes of an upload in the bucket, in order and without gaps. Objects that no row names do
  -- not count: their process lost the race for the offset, or died before it wrote the row.
  create table upload_pieces (
    shop_id integer not null,
    upload_id uuid not null,
    -- The offset in the upload at which the piece begins.
    first_byte bigint not null,
    size_bytes bigint not null check (size_bytes > 0),
    -- The name of the object, below that of the upload.
    name uuid not null,
    primary key (shop_id, upload_id, first_byte),
    foreign key (shop_id, upload_id) references uploads on delete cascade
  );

  -- What all processes of the drop server present: host keys, a certificate. Sealed.
  create table drop_secrets (
    name text primary key,
    sealed bytea not null,
    created_at timestamptz not null default now()
  );

  -- Each process holds an advisory lock of its number for as long as it lives.
  create sequence drop_processes as integer;

  create table drop_settings (
    shop_id integer primary key references shops on delete cascade,
    enabled boolean not null default true,
    -- Plain FTP is refused.
    tls_required boolean not null default false,
    auto_import boolean not null default true,
    schedule text not null default 'realtime'
      check (schedule in ('hourly', 'realtime', 'manual')),
    match_by text not null default 'sku_prefix' check (match_by in ('sku_prefix', 'rules')),
    notify boolean not null default true,
    move_to_processed boolean not null default true,
    folder_names text not null default 'ignore'
      check (folder_names in ('ignore', 'tag', 'pack')),
    -- One of ON_CONFLICT in plugins/contract/item.ts.
    on_conflict text not null default 'error',
    -- Of an hourly schedule; null: at the next full hour.
    next_import_at timestamptz,
    -- In real time: the import that takes in files as they arrive, and when it last got one.
    operation_id uuid,
    grown_at timestamptz,
    -- The source of its files, if a trigger names it.
    open_source text
  );

  create table drop_accounts (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    username text not null unique,
    -- argon2id, as a PHC string.
    password text not null,
    password_changed_at timestamptz not null default now(),
    -- [{name, type, fingerprint, blob}]
    public_keys jsonb not null default '[]',
    enabled boolean not null default true,
    -- CIDR; empty: any address.
    allowed_addresses text[] not null default '{}',
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    -- For metrics.
    received_files bigint not null default 0,
    received_bytes bigint not null default 0,
    refusals bigint not null default 0,
    -- Of file names that FTP clients send otherwise than in UTF-8.
    name_encoding text not null default 'utf-8',
    primary key (shop_id, id)
  );

  create table drop_entries (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    -- '' is the home; 'a/b' is a folder in it.
    folder text collate "C" not null,
    name text collate "C" not null,
    kind text not null check (kind in ('folder', 'file')),
    -- Null in the home itself. Keeps a folder from being removed while something is put into it.
    parent_id uuid,
    -- Of a file. writing: open. partial: the transfer broke off; it can be resumed. waiting: it
    -- ended well. importing: an import has it, clients cannot change it. processed, failed: what
    -- became of an import. note: the text beside a failed file.
    state text check (state in
      ('writing', 'partial', 'waiting', 'importing', 'processed', 'failed', 'note')),
    -- The bytes; null where there are none yet.
    hash bytea,
    location text,
    size_bytes bigint not null default 0,
    modified_at timestamptz not null default now(),
    -- Since when nothing has changed: its end, a rename, new times.
    quiet_since timestamptz not null default now(),
    -- Who wrote it last, and how.
    account_id uuid,
    protocol text check (protocol in ('sftp', 'ftp', 'ftps')),
    -- The protocol itself said that the file is whole (SFTP's CLOSE).
    closed_cleanly boolean not null default false,
    -- While it is written: by which process, under which name in its staging folder, since when.
    process integer,
    write_id uuid,
    writing_since timestamptz,
    -- Which import has it, and as which item. An import that lost its claim gets no bytes.
    claim uuid,
    operation_id uuid,
    position integer,
    -- Where it was dropped, and when it was moved to /processed/ or /failed/.
    dropped_folder text,
    dropped_name text,
    filed_at timestamptz,
    -- The file that an imported one became.
    file_id uuid,
    -- Of a failed one: {code, message, detail}.
    error jsonb,
    -- The import.csv that it was imported with.
    manifest_id uuid,
    -- The writing that placed the bytes of a file that no import has had: they are removed with it.
    placed text,
    primary key (shop_id, id),
    unique (shop_id, folder, name),
    check ((kind = 'file') = (state is not null)),
    foreign key (shop_id, parent_id) references drop_entries (shop_id, id),
    foreign key (shop_id, account_id) references drop_accounts on delete set null (account_id),
    foreign key (shop_id, hash, location) references blob_locations
  );
  create index drop_entries_parent on drop_entries (shop_id, parent_id) where parent_id is not null;
  create index drop_entries_account on drop_entries (shop_id, account_id);
  -- Which blobs are needed.
  create index drop_entries_blob on drop_entries (shop_id, hash, location);
  ${freesBlobs('drop_entries')}
  create index drop_entries_writing on drop_entries (process) where state = 'writing'; -- recovery
  create index drop_entries_waiting on drop_entries (shop_id, quiet_since) where state = 'waiting';
  create index drop_entries_importing on drop_entries (shop_id, operation_id, position)
    where state = 'importing'; -- what an import has, and which imports have ended
  create index drop_entries_filed on drop_entries (filed_at) where filed_at is not null; -- clearing

  -- The last connections and refusals of each shop.
  create table drop_connections (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    account_id uuid,
    username text not null,
    address text not null,
    protocol text not null,
    -- Null: it was let in.
    refused text,
    connected_at timestamptz not null default now(),
    ended_at timestamptz,
    files integer not null default 0,
    bytes bigint not null default 0,
    -- Which process has it: connections of one that died are not open for ever.
    process integer,
    primary key (shop_id, id),
    foreign key (shop_id, account_id) references drop_accounts on delete set null (account_id)
  );
  create index drop_connections_account on drop_connections (shop_id, account_id);
  create index drop_connections_open on drop_connections (process) where ended_at is null;

  -- Which drop accounts sent a file. Written when its import has ended: the entries of the drop
  -- folder are cleared later.
  create table dropped_files (
    shop_id integer not null,
    account_id uuid not null,
    file_id uuid not null,
    primary key (shop_id, account_id, file_id),
    foreign key (shop_id, account_id) references drop_accounts on delete cascade,
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create index dropped_files_file on dropped_files (shop_id, file_id); -- deleted files

  -- What the drop servers refused to strangers and clients, of all processes.
  create table drop_refusal_counts (
    reason text primary key,
    count bigint not null
  );

  create table connections (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    provider text not null,
    name text not null,
    -- The provider's fields that are not secret.
    settings jsonb not null,
    -- Those that are, sealed; null: nobody has signed in yet.
    sealed bytea,
    -- Direction, patterns, sizes: how it is synced.
    options jsonb not null,
    -- Null: it is synced by hand.
    frequency_hours integer check (frequency_hours > 0),
    next_sync_at timestamptz,
    state text not null check (state in ('unauthorized', 'ready', 'failing')),
    -- Of a failing one: {code, message}.
    error jsonb,
    -- A sync has been applied: the next one is not the first.
    established boolean not null default false,
    created_at timestamptz not null default now(),
    primary key (shop_id, id)
  );
  create index connections_due on connections (next_sync_at) where next_sync_at is not null;

  -- Documents of operations that steps send into connections.
  create table document_sends (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    operation_id uuid not null,
    -- The round and the step: a second run of the same step sends nothing twice.
    key text not null,
    connection_id uuid not null,
    path text collate "C" not null,
    status text not null default 'waiting' check (status in ('waiting', 'sent', 'failed')),
    -- Of a failed one: {message}.
    error jsonb,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    primary key (shop_id, id),
    unique (shop_id, operation_id, key),
    foreign key (shop_id, operation_id) references operations on delete cascade,
    foreign key (shop_id, connection_id) references connections on delete cascade
  );
  create index document_sends_waiting on document_sends (shop_id, id)
    where status = 'waiting'; -- background task
  create index document_sends_connection on document_sends (shop_id, connection_id);

  -- Where documents were written: syncs leave these paths out.
  create table sent_documents (
    shop_id integer not null,
    connection_id uuid not null,
    path text not null collate "C",
    primary key (shop_id, connection_id, path),
    foreign key (shop_id, connection_id) references connections on delete cascade
  );

  create table syncs (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    connection_id uuid not null,
    operation_id uuid,
    -- listing: it reads the provider. planned: its items are in the operation. failed: it could
    -- not be listed, or was cancelled before that.
    phase text not null default 'listing' check (phase in ('listing', 'planned', 'failed')),
    dry_run boolean not null default false,
    -- Why its operation waits for a person.
    preview_reason text,
    listed integer not null default 0,
    listed_bytes bigint not null default 0,
    -- How many files it adds, changes, renames and so on.
    counts jsonb not null default '{}',
    error jsonb,
    started_at timestamptz not null default now(),
    -- The connection has another folder since: its outcomes say nothing about that folder.
    obsolete boolean not null default false,
    primary key (shop_id, id),
    foreign key (shop_id, connection_id) references connections on delete cascade,
    foreign key (shop_id, operation_id) references operations on delete set null (operation_id)
  );
  create index syncs_connection on syncs (shop_id, connection_id, id);
  create index syncs_operation on syncs (shop_id, operation_id);
  create index syncs_listing on syncs (shop_id, id) where phase = 'listing'; -- background task

  -- Sign-ins that have begun: who asked, and the verifier of PKCE, sealed.
  create table cloud_authorizations (
    shop_id integer not null references shops on delete cascade,
    -- A hash of it.
    state bytea not null,
    connection_id uuid not null,
    subject text not null,
    verifier bytea not null,
    created_at timestamptz not null default now(),
    primary key (shop_id, state),
    foreign key (shop_id, connection_id) references connections on delete cascade
  );
  create index cloud_authorizations_connection on cloud_authorizations (shop_id, connection_id);

  -- The newest listing of each connection, as its provider gave it.
  create table cloud_listings (
    shop_id integer not null references shops on delete cascade,
    connection_id uuid not null,
    path text collate "C" not null,
    size_bytes bigint not null,
    hash text,
    modified_at timestamptz,
    -- Left out by a pattern or by its size: neither fetched nor taken for deleted.
    ignored boolean not null,
    -- Several objects have this path.
    duplicate boolean not null default false,
    -- The path of the vanished object that it was, with the same hash and size.
    renamed_from text collate "C",
    -- It may be a vanished object, and no hash of the provider says so: its bytes are not compared
    -- yet.
    uncompared boolean,
    -- The BLAKE3 hash of its bytes.
    content_hash bytea,
    primary key (shop_id, connection_id, path),
    foreign key (shop_id, connection_id) references connections on delete cascade
  );
  create index cloud_listings_renamed on cloud_listings (shop_id, connection_id, renamed_from)
    where renamed_from is not null;

  -- What was applied: both sides had this at the end of the last sync that saw the object.
  create table cloud_files (
    shop_id integer not null references shops on delete cascade,
    connection_id uuid not null,
    path text collate "C" not null,
    size_bytes bigint not null,
    hash text,
    modified_at timestamptz,
    -- Null: it was purged here.
    file_id uuid,
    version integer not null,
    filename text not null,
    -- An undo removed its file here: a two-way sync does not delete the object.
    undone boolean not null default false,
    primary key (shop_id, connection_id, path),
    foreign key (shop_id, connection_id) references connections on delete cascade,
    foreign key (shop_id, file_id) references files on delete set null (file_id)
  );
  create index cloud_files_file on cloud_files (shop_id, file_id);

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
    message_values jsonb,
    primary key (shop_id, connection_id, path),
    foreign key (shop_id, connection_id) references connections on delete cascade
  );

  -- What a sync decided, in its order.
  create table sync_changes (
    shop_id integer not null references shops on delete cascade,
    sync_id uuid not null,
    number integer not null,
    kind text not null,
    -- At the provider, and before a rename there.
    path text collate "C" not null,
    from_path text collate "C",
    -- As the provider has it; null where it has nothing.
    size_bytes bigint,
    hash text,
    modified_at timestamptz,
    file_id uuid,
    -- Of the file here.
    version integer,
    filename text,
    -- The item of the operation; null: it has none yet, or needs none.
    position integer,
    -- The provider has it: set where a change was carried there.
    applied boolean not null default false,
    -- cloud_files says so.
    settled boolean not null default false,
    -- Set when its failure is recorded in cloud_rejections: once, even if that row is deleted
    -- later.
    rejected boolean not null default false,
    primary key (shop_id, sync_id, number),
    foreign key (shop_id, sync_id) references syncs on delete cascade
  );
  create index sync_changes_position on sync_changes (shop_id, sync_id, position);

  -- Tables at addresses that are imported again and again.
  create table feeds (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    -- The address without user info, query and fragment. All of it is sealed with the headers.
    url text not null,
    sealed bytea not null,
    header_names text[] not null,
    -- Field → header.
    mapping jsonb not null,
    -- The column that names a row; null: its id, or its filename.
    key_column text,
    options jsonb not null,
    -- In the shop's time zone; null: it is imported by hand.
    cron text,
    enabled boolean not null default true,
    next_run_at timestamptz,
    -- What the address said about the table that was taken last: {host, etag, last_modified}.
    identity jsonb,
    -- Of the last run, if it failed: {code, message}.
    error jsonb,
    created_at timestamptz not null default now(),
    primary key (shop_id, id)
  );
  create index feeds_due on feeds (next_run_at) where next_run_at is not null;

  -- The rows that were taken, or failed.
  create table feed_rows (
    shop_id integer not null,
    feed_id uuid not null,
    key text not null,
    -- Field → a hash of its cell: cells may contain secrets.
    cells jsonb not null,
    file_id uuid,
    filename text not null,
    -- How often these cells have failed; 0: they were taken.
    failures smallint not null default 0,
    -- The table has it no more, and its file was moved to the trash or got the tag.
    vanished boolean not null default false,
    primary key (shop_id, feed_id, key),
    foreign key (shop_id, feed_id) references feeds on delete cascade,
    foreign key (shop_id, file_id) references files on delete set null (file_id)
  );
  create index feed_rows_file on feed_rows (shop_id, file_id); -- deleted files

  create table feed_runs (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    feed_id uuid not null,
    -- It only lists what would change.
    dry_run boolean not null,
    -- started: its changes are in its operations.
    phase text not null default 'reading'
      check (phase in ('reading', 'unchanged', 'started', 'listed', 'failed')),
    counts jsonb not null default '{}',
    error jsonb,
    requested_by text not null,
    -- Of new files and versions, of changed files, and of files whose rows have vanished. No foreign
    -- keys: history is shorter.
    import_id uuid,
    update_id uuid,
    vanished_id uuid,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (shop_id, id),
    foreign key (shop_id, feed_id) references feeds on delete cascade
  );
  create index feed_runs_feed on feed_runs (shop_id, feed_id, id);
  create index feed_runs_reading on feed_runs (shop_id, id)
    where phase = 'reading'; -- background task
  create index feed_runs_age on feed_runs (started_at); -- the sweep

  -- What a run found, in the order of the table; vanished rows come last.
  create table feed_changes (
    shop_id integer not null,
    run_id uuid not null,
    number integer not null,
    -- As a spreadsheet counts; null: the table has it no more.
    row integer,
    key text not null,
    kind text not null,
    filename text not null,
    -- The fields whose cells have changed.
    fields text[] not null default '{}',
    cells jsonb not null default '{}',
    file_id uuid,
    -- Of a row that cannot be taken: {code, message, detail}.
    problem jsonb,
    operation_id uuid,
    position integer,
    -- feed_rows says so, or its operation did nothing about it.
    settled boolean not null default false,
    primary key (shop_id, run_id, number),
    foreign key (shop_id, run_id) references feed_runs on delete cascade
  );
  create index feed_changes_open on feed_changes (shop_id, run_id)
    where operation_id is not null and not settled;

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
`

export const { up, down } = firstSchema(SCHEMA)
