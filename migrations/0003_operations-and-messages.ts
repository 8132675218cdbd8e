// Operations with their items and chains, the workers that run them, what they produce, the shop's
// workflows and schedules, and the messages that are sent.
import type { Knex } from 'knex'

const OPERATIONS = `
  create table operations (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    kind text not null check (kind in ('import', 'bulk')),
    action text not null,
    channel text not null,
    -- A copy of the workflow, taken when the operation starts.
    workflow jsonb not null,
    -- The caller's options: auto_map, notify.
    request jsonb not null default '{}',
    status text not null default 'queued' check (status in ('previewing', 'previewed', 'queued',
      'running', 'paused', 'success', 'partial', 'failed', 'cancelled', 'undone')),
    requested_by text not null,
    idempotency_key text,
    -- Updated in the transactions that write the outcomes, so that reading progress is one row.
    total integer not null,
    done integer not null default 0,
    failed integer not null default 0,
    skipped integer not null default 0,
    cancelled integer not null default 0,
    bytes bigint not null default 0,
    warnings jsonb not null default '[]',
    -- How many of the operation-scope steps have ended.
    finished_steps smallint not null default 0,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    -- Where its items come from: {"type": "entries" | "files" | "filter" | "operation", …}.
    source jsonb not null default '{"type": "entries"}',
    -- Only planned until it is confirmed.
    preview boolean not null default false,
    -- Incremented by each retry and by a confirmation: the messages of one round's end are not
    -- repeated in the next.
    round smallint not null default 0,
    -- What the operation-scope steps would do, one sentence each. Written by a preview.
    intentions jsonb not null default '[]',
    -- The failure that stopped the whole operation, where a step has onFailure: stop.
    stopped jsonb,
    undoes uuid,
    undone_by uuid,
    undo_until timestamptz,
    schedule_id uuid,
    paused_at timestamptz,
    -- Time spent paused: excluded from the estimate of the remaining time.
    paused_ms bigint not null default 0,
    -- kept: complete. results: before and after are removed, as undo has expired. record: the items
    -- are removed too.
    detail text not null default 'kept' check (detail in ('kept', 'results', 'record')),
    -- false: no items are written. Its steps read all files in their frozen order.
    ledger boolean not null default true,
    -- Bytes saved in its files; negative where they grew.
    bytes_saved bigint not null default 0,
    -- {"changed", "unchanged", "candidates"}, counted over all files once a preview has ended.
    preview_counts jsonb,
    -- Items that had ended when the current round began: the remaining time is estimated without
    -- them.
    ended_before integer not null default 0,
    -- More entries may be added, so it has not ended when all its present items have.
    open boolean not null default false,
    -- When the preview was ready. Null while it runs and once it is confirmed: the time it waits
    -- for a person is not work.
    previewed_at timestamptz,
    -- Its title in the history: the first file of an import, or the name of the CSV file.
    label text,
    -- Its batches have places of their own in every worker: somebody waits for each file.
    prompt boolean not null default false,
    primary key (shop_id, id),
    unique (shop_id, idempotency_key)
  ) with (fillfactor = 50); -- its counters change with every group of outcomes
  create index operations_recent on operations (shop_id, id desc); -- history, newest first
  -- The crash sweep. A preview that ended is excluded; a cancelled operation is included until its
  -- operation-scope steps have run.
  create index operations_alive on operations (status)
    where status in ('previewing', 'queued', 'running')
      or (status = 'cancelled' and finished_at is null);
  -- How many of a shop's operations wait or run is read at each start.
  create index operations_unfinished on operations (shop_id) where finished_at is null;
  create index operations_action on operations (shop_id, action, id desc); -- history by action
  create index operations_schedule on operations (shop_id, schedule_id, id desc)
    where schedule_id is not null;
  -- Operations that can be undone, and the sweep of those whose time is over.
  create index operations_undo_until on operations (undo_until) where undo_until is not null;
  create index operations_old on operations (detail, finished_at)
    where finished_at is not null; -- the sweeps
`

const ITEMS = `
  -- No foreign key to operations: checking it row by row was slow. A trigger deletes the items with
  -- their operation. Writers of items hold one of its chains, or insert the operation in the same
  -- transaction, so that it can't be deleted under them.
  create table items (
    shop_id integer not null,
    operation_id uuid not null,
    position integer not null,
    file_id uuid,
    -- Not indexed, so that an outcome updates its row within the page. Lists by status read the
    -- operation's rows in order.
    status text not null default 'pending'
      check (status in ('pending', 'running', 'done', 'failed', 'skipped', 'cancelled')),
    attempt smallint not null default 0,
    -- The claim that may write the outcome: it stops a worker that was presumed dead.
    lease bigint,
    -- Found running after a crash: from then on it runs alone.
    crashed boolean not null default false,
    run_after timestamptz,
    -- Where work resumes: the index of the step, with the draft and bytes of the steps before it.
    step smallint not null default 0,
    entry jsonb,
    draft jsonb,
    staged jsonb,
    candidates jsonb,
    warnings jsonb,
    error jsonb,
    before jsonb,
    after jsonb,
    finished_at timestamptz,
    -- The [before, after] of a confirmed preview: a file whose change would differ is skipped.
    plan jsonb,
    -- A change that arrived with the item: a CSV row that names an existing file.
    wanted jsonb,
    -- The position of the previous entry with the same filename; null for most. The item is claimed
    -- after that one has ended.
    waits_for integer,
    primary key (shop_id, operation_id, position),
    constraint items_say_why
      check (status not in ('failed', 'skipped') or error ->> 'code' is not null)
  ) with (fillfactor = 50);
  create index items_file on items (shop_id, file_id) where file_id is not null; -- a file's history
  create index items_waiting on items (shop_id, operation_id, waits_for)
    where waits_for is not null; -- the successors of an item

  create function drop_items() returns trigger language plpgsql as $$
      begin
        delete from items using gone where items.shop_id = gone.shop_id and items.operation_id = gone.id;
        return null;
      end $$;
  create trigger operations_items after delete on operations
    referencing old table as gone for each statement execute function drop_items();

  -- Files that an operation has still to process, where a batch is one transaction: their items are
  -- written once, with the outcomes.
  create table item_batches (
    shop_id integer not null,
    operation_id uuid not null,
    -- Of the first file; the others follow in the frozen order.
    position integer not null,
    file_ids uuid[] not null,
    -- The claim of the chain that plans it. Free again when no chain holds that claim.
    lease bigint,
    primary key (shop_id, operation_id, position),
    foreign key (shop_id, operation_id) references operations on delete cascade
  );
  -- Not compressed: UUIDs hardly shrink, and trying took as long as finding the files.
  alter table item_batches alter column file_ids set storage external;
`

const WORK = `
  -- One row per chain of batches, and one (-1) for the operation-scope steps.
  create sequence leases;
  create table chains (
    shop_id integer not null,
    operation_id uuid not null,
    chain smallint not null,
    lease bigint,
    worker_id uuid,
    -- All items before this position are claimed.
    hint integer not null default 0,
    -- The items that the current lease holds.
    claimed integer[] not null default '{}',
    ended boolean not null default false,
    -- Its worker died in a batch that was one transaction: from then on its items are marked
    -- running one by one, so that the item that kills the worker is found.
    crashed boolean not null default false,
    -- Workers that died while holding it since it was last released or made progress.
    deaths smallint not null default 0,
    primary key (shop_id, operation_id, chain),
    foreign key (shop_id, operation_id) references operations on delete cascade
  );

  create table workers (
    id uuid primary key,
    -- An advisory lock of the worker's connection. A worker without lock and heartbeat is dead.
    lock integer not null generated always as identity,
    -- graphile-worker locks jobs under this id; releasing them after a crash needs it.
    pool_id text not null,
    started_at timestamptz not null default now(),
    beat_at timestamptz not null default now()
  );

  -- Files that a running operation holds for longer than one transaction. Other operations get
  -- "File in use".
  create table file_claims (
    shop_id integer not null,
    file_id uuid not null,
    operation_id uuid not null,
    lease bigint not null,
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade,
    foreign key (shop_id, operation_id) references operations on delete cascade
  );
  create index file_claims_lease on file_claims (shop_id, operation_id, lease); -- release by lease

  -- Names after the renames that a preview has planned so far; its later batches read them before
  -- the files' own rows.
  create table preview_names (
    shop_id integer not null,
    operation_id uuid not null,
    name_key text collate "C" not null,
    -- The file that would have the name; null: the name would be free.
    file_id uuid,
    primary key (shop_id, operation_id, name_key),
    foreign key (shop_id, operation_id) references operations on delete cascade
  );
`

const RESULTS = `
  -- Files that an operation made from others: the parts of a document, a merged document.
  create table created_files (
    shop_id integer not null,
    operation_id uuid not null,
    -- The source item; -1 - the step's index for a step on the whole operation.
    position integer not null,
    ordinal integer not null,
    file_id uuid not null,
    primary key (shop_id, operation_id, position, ordinal),
    foreign key (shop_id, operation_id) references operations on delete cascade
  );

  -- The document that an operation produced: an export, a list of links.
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
  create index artifacts_blob on artifacts (shop_id, hash, location); -- which artifacts need a blob
`

const AUTOMATION = `
  create table workflows (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    kind text not null check (kind in ('import', 'bulk', 'delivery')),
    parallel smallint not null check (parallel > 0),
    -- Plugins with their options, in order. An operation copies them when it starts, so that later
    -- changes do not affect it.
    steps jsonb not null,
    -- Imports of this channel run it instead of the built-in workflow.
    channel text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, id),
    unique (shop_id, name),
    check (channel is null or kind = 'import')
  );
  create unique index workflows_channel on workflows (shop_id, channel)
    where channel is not null; -- one per channel

  create table schedules (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    enabled boolean not null default true,
    -- Five fields, in the time zone that the shop has when the next run is computed.
    cron text not null,
    -- What it runs: an action, a built-in workflow, or a workflow of the shop.
    action text,
    built_in text,
    workflow_id uuid,
    -- The options of the action.
    options jsonb not null default '{}',
    -- The files, selected at each run.
    filter jsonb not null default '{}',
    notify text not null default 'always' check (notify in ('always', 'errors', 'never')),
    -- The most files that one run may delete. Above it, the run stops as a preview.
    cap integer not null default 100 check (cap > 0),
    -- Null while it is disabled.
    next_run_at timestamptz,
    last_run_at timestamptz,
    last_operation_id uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, id),
    check (num_nonnulls(action, built_in, workflow_id) = 1),
    -- Not "restrict": deleting a shop removes workflow and schedule in one statement.
    foreign key (shop_id, workflow_id) references workflows,
    foreign key (shop_id, last_operation_id) references operations
      on delete set null (last_operation_id)
  );
  create index schedules_due on schedules (next_run_at)
    where next_run_at is not null; -- read every few seconds
  create index schedules_workflow on schedules (shop_id, workflow_id)
    where workflow_id is not null; -- the schedules of a workflow
  create index schedules_operation on schedules (shop_id, last_operation_id)
    where last_operation_id is not null; -- deleted operations
`

const OUTSIDE = `
  -- Outgoing webhooks: the addresses that a shop's events are posted to. Their messages are in the
  -- outbox.
  create table webhook_endpoints (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    -- Without user info, query and fragment; the whole address is sealed.
    url text not null,
    sealed_url text,
    description text not null default '',
    -- Empty: all events.
    events text[] not null default '{}',
    -- Sealed. The previous secret signs too until its time is over.
    secret bytea not null,
    previous_secret bytea,
    previous_until timestamptz,
    enabled boolean not null default true,
    -- Why the server switched it off; null: it did not.
    switched_off text,
    switched_off_at timestamptz,
    -- The first failed attempt since the last one that succeeded.
    failing_since timestamptz,
    last_success_at timestamptz,
    last_error text,
    created_at timestamptz not null default now(),
    primary key (shop_id, id)
  );

  -- The platform's automation (Flow): which of the app's triggers a shop's workflows use.
  create table flow_triggers (
    shop_id integer not null references shops on delete cascade,
    handle text collate "C" not null,
    -- A workflow of the shop uses it, as the platform has told.
    enabled boolean not null,
    -- When the platform told it: older reports are ignored.
    told_at timestamptz not null,
    -- The platform refused it: it is not sent for a day.
    refused_at timestamptz,
    refused text,
    primary key (shop_id, handle)
  );
`

const MESSAGES = `
  create table notices (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    level text not null check (level in ('info', 'success', 'warning', 'critical')),
    title text not null,
    body text not null,
    operation_id uuid,
    created_at timestamptz not null default now(),
    read_at timestamptz,
    primary key (shop_id, id),
    foreign key (shop_id, operation_id) references operations on delete cascade
  );
  create index notices_unread on notices (shop_id) where read_at is null; -- the page's counter
  create index notices_alone on notices (created_at) where operation_id is null; -- the sweep

  -- Effects outside the database: written in the transaction that decides them, carried out once.
  create table outbox (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    -- Its subject: a second run of the same step writes no second message.
    key text not null,
    kind text not null check (kind in ('email', 'callback', 'webhook', 'sms', 'flow')),
    payload jsonb not null,
    -- unknown: the connection was lost while it was sent, so it may have arrived.
    status text not null default 'waiting'
      check (status in ('waiting', 'sending', 'sent', 'failed', 'unknown')),
    attempts smallint not null default 0,
    result jsonb,
    created_at timestamptz not null default now(),
    sent_at timestamptz,
    operation_id uuid,
    -- The attempt that may write the result: it stops a worker that was presumed dead.
    lease bigint,
    taken_at timestamptz,
    -- Why the last attempt failed, in words for the shop.
    error text,
    webhook_id uuid,
    -- It waits for the shop's next batch of mails, and has no job.
    batched boolean not null default false,
    primary key (shop_id, id),
    unique (shop_id, key),
    foreign key (shop_id, operation_id) references operations on delete cascade,
    foreign key (shop_id, webhook_id) references webhook_endpoints on delete cascade
  );
  create index outbox_operation on outbox (shop_id, operation_id); -- deleted operations
  create index outbox_open on outbox (status) where status in ('waiting', 'sending'); -- the sweeps
  create index outbox_alone on outbox (created_at) where operation_id is null; -- the sweep
  create index outbox_webhook on outbox (shop_id, webhook_id, id) where webhook_id is not null;
  create index outbox_batched on outbox (shop_id, id) where batched; -- the next batch
  create index outbox_delivery on outbox (shop_id, (payload ->> 'delivery'), id)
    where payload ->> 'delivery' is not null; -- the mails of a delivery
`

export async function up(knex: Knex): Promise<void> {
  await knex.raw([OPERATIONS, ITEMS, WORK, RESULTS, AUTOMATION, OUTSIDE, MESSAGES].join('\n'))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table outbox, notices, flow_triggers, webhook_endpoints, schedules, workflows, artifacts,
      created_files, preview_names, file_claims, workers, chains, item_batches, items, operations;
    drop function drop_items;
    drop sequence leases;
  `)
}
