// The engine: operations with their items, chains and workers, the files and documents that they
// make, the workflows that they run, and the triggers that start them.
import { freesBlobs } from '../server/core/db/blob-references.ts'
import { firstSchema } from '../server/core/db/migration-steps.ts'
import { monthParts } from '../server/core/db/month-parts.ts'

const SCHEMA = `
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
    -- The triggers that led to it, and the workflows whose If not did, first to last: none of them
    -- starts because of it.
    path uuid[] not null default '{}',
    -- What started it beside a request and a scheduled task:
    -- {"kind": "event" | "hook" | "imports" | "if_not", "event", "source", "name", "operation", "count"}.
    cause jsonb,
    -- The part of its workflow before it, which ended with a wait.
    continues uuid,
    -- When the next part of its workflow starts, or when the time to answer its question is over;
    -- null: neither.
    continue_at timestamptz,
    -- The next part takes the files that ended from then on; null: all.
    continue_since timestamptz,
    -- When its failed files are tried again, as the workflow's If not says; null: never.
    again_at timestamptz,
    -- {"since": when a round first ended with failed files, "later": the times of the tries, "run":
    -- whether no try is left and another workflow runs on the failed files}.
    again jsonb,
    -- The question that its preview is: {"who", "seconds", "no_answer", "starter_may_approve"}, once
    -- it is asked "asked_at" and "reminders", once it is answered "answer", "by", "answered_at".
    question jsonb,
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
    failure_causes jsonb,
    unchanged integer not null default 0,
    present integer not null default 0,
    -- How long each step on files worked, and how long the results took to write, in ms.
    step_ms bigint[] not null default '{}',
    write_ms bigint not null default 0,
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
  create index operations_workflow on operations (shop_id, (workflow ->> 'id'), id desc); -- its runs
  create index operations_continues on operations (shop_id, continues)
    where continues is not null; -- the parts after
  create index operations_waiting on operations (continue_at)
    where continue_at is not null; -- those due, and those that a list shows
  create index operations_again on operations (again_at)
    where again_at is not null; -- the tries that wait
  -- Operations that can be undone, and the sweep of those whose time is over.
  create index operations_undo_until on operations (undo_until) where undo_until is not null;
  create index operations_old on operations (detail, finished_at)
    where finished_at is not null; -- the sweeps
  create index operations_created on operations (shop_id, created_at);

  create function drop_items() returns trigger language plpgsql as $$
      begin
        delete from items using gone
        where items.shop_id = gone.shop_id and items.operation_id = gone.id;
        return null;
      end $$;
  create trigger operations_items after delete on operations
    referencing old table as gone for each statement execute function drop_items();

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
    -- What each step did with it, a letter for each (engine/trail.ts). Null once it has ended: all
    -- steps changed it.
    trail text,
    primary key (shop_id, operation_id, position),
    constraint items_say_why
      check (status not in ('failed', 'skipped') or error ->> 'code' is not null)
  ) partition by range (operation_id);
  ${monthParts('items')}
  create index items_file on items (shop_id, file_id) where file_id is not null; -- a file's history
  create index items_waiting on items (shop_id, operation_id, waits_for)
    where waits_for is not null; -- the successors of an item

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
  ${freesBlobs('artifacts', { moves: true })}

  create table workflows (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    kind text not null check (kind in ('import', 'bulk', 'delivery')),
    parallel smallint not null check (parallel > 0),
    -- Plugins with their options, in order. An operation copies them when it starts, so that later
    -- changes do not affect it.
    steps jsonb not null,
    -- false: no trigger starts it.
    enabled boolean not null default true,
    -- Since when its runs end with failed files; null: the last one did not.
    failing_since timestamptz,
    -- The last runs in a row that ended with failed files: their first parts.
    failed_runs uuid[] not null default '{}',
    -- Whether the shop was told that it fails.
    failure_told boolean not null default false,
    -- What follows then: {"after", "mail", "run", "again", "on_recovery"}; null: nothing.
    if_not jsonb,
    -- The number of its version in workflow_versions; 0: it has none.
    version integer not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, id),
    unique (shop_id, name)
  );

  -- What each save made of a workflow: the last 100.
  create table workflow_versions (
    shop_id integer not null references shops on delete cascade,
    workflow_id uuid not null,
    version integer not null,
    -- The request that saves it.
    body jsonb not null,
    made_by text not null,
    -- The version that was restored; null: it was saved.
    restored integer,
    created_at timestamptz not null default now(),
    primary key (shop_id, workflow_id, version),
    foreign key (shop_id, workflow_id) references workflows on delete cascade
  );

  -- What starts workflows, and actions at times.
  create table triggers (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    kind text not null default 'times' check (kind in ('times', 'imports', 'orders', 'event', 'hook')),
    -- Of a scheduled task.
    name text not null default '',
    enabled boolean not null default true,
    -- Five fields, in the time zone that the shop has when the next run is computed.
    cron text,
    -- What goes through the workflow: imports of channel:csv, account:<id>, account:<id>/<folder> …,
    -- or the deliveries of all orders (orders).
    source text,
    event text,
    -- What it runs: an action, a built-in workflow, or a workflow of the shop.
    action text,
    built_in text,
    workflow_id uuid,
    -- The options of the action; of imports: their conflict rule and quiet time.
    options jsonb not null default '{}',
    -- The files, selected at each run; of an event and a hook: which of its files.
    filter jsonb not null default '{}',
    notify text not null default 'always' check (notify in ('always', 'errors', 'never')),
    -- The most files that one run may delete. Above it, the run stops as a preview.
    cap integer not null default 100 check (cap > 0),
    -- Seconds from the first event to the run that takes all that came.
    collect integer not null default 10,
    -- The most files of all runs of an hour; null: any number.
    max_files integer check (max_files > 0),
    -- The runs of the last hour: [{"at", "files"}].
    recent jsonb not null default '[]',
    -- Why it starts no runs; its events wait.
    paused jsonb,
    -- Of a hook: the hash of the secret in its address; null: it has no address yet.
    secret_hash bytea unique,
    -- Null while it is disabled.
    next_run_at timestamptz,
    last_run_at timestamptz,
    last_operation_id uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (shop_id, id),
    check (num_nonnulls(action, built_in, workflow_id) = 1),
    check ((kind = 'times') = (cron is not null)),
    check ((kind in ('imports', 'orders')) = (source is not null)),
    check ((kind = 'orders') = (source is not distinct from 'orders')),
    check ((kind = 'event') = (event is not null)),
    -- Not "restrict": deleting a shop removes workflow and trigger in one statement.
    foreign key (shop_id, workflow_id) references workflows,
    foreign key (shop_id, last_operation_id) references operations
      on delete set null (last_operation_id)
  );
  create unique index triggers_source on triggers (shop_id, source)
    where source is not null; -- one workflow for each source
  create index triggers_event on triggers (event, shop_id) where event is not null;
  create index triggers_due on triggers (next_run_at)
    where next_run_at is not null; -- read every few seconds
  create index triggers_workflow on triggers (shop_id, workflow_id)
    where workflow_id is not null; -- what starts a workflow
  create index triggers_operation on triggers (shop_id, last_operation_id)
    where last_operation_id is not null; -- deleted operations

  -- What happened, for each trigger that waits for it.
  create table trigger_events (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    trigger_id uuid not null,
    -- The same event is not kept twice.
    key text not null,
    event text not null,
    -- Its files: those of an operation that the event is about, or these.
    operation_id uuid,
    files uuid[] not null default '{}',
    -- The triggers that led to it, first to last.
    path uuid[] not null default '{}',
    -- When the round of the operation began, if it is not the first: its files are those that ended
    -- from then on, and until the event.
    since timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    -- When a run took it; null: it waits.
    taken_at timestamptz,
    -- The run; null: it selected none of the files.
    run_id uuid,
    primary key (shop_id, id),
    unique (shop_id, trigger_id, key),
    foreign key (shop_id, trigger_id) references triggers on delete cascade
  );
  create index trigger_events_waiting on trigger_events (shop_id, trigger_id, id)
    where taken_at is null;
  create index trigger_events_old on trigger_events (created_at); -- the sweep

  -- Files that a step has sent to a program that answers later.
  create table call_answers (
    shop_id integer not null references shops on delete cascade,
    -- Names the file in the request.
    key text not null,
    -- The request.
    call text not null,
    operation_id uuid not null,
    -- The item that waits for the answer.
    position integer not null,
    -- Whether the program said that it answers later.
    accepted boolean not null default false,
    -- null: not yet.
    answer jsonb,
    expires_at timestamptz not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (shop_id, key)
  );
  create index call_answers_old on call_answers (expires_at); -- the sweep
`

export const { up, down } = firstSchema(SCHEMA)
