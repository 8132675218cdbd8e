// Operations, their items and chains, the workers that run them, and what they tell people.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table operations (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      kind text not null check (kind in ('import', 'bulk')),
      action text not null,
      channel text not null,
      -- The workflow as it stood when the operation started.
      workflow jsonb not null,
      -- What the caller asked for: auto_map, notify.
      request jsonb not null default '{}',
      status text not null default 'queued' check (status in ('previewing', 'previewed', 'queued', 'running', 'paused',
        'success', 'partial', 'failed', 'cancelled', 'undone')),
      requested_by text not null,
      idempotency_key text,
      -- Counted up in the transactions that write the outcomes, so that progress is one row read.
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
      primary key (shop_id, id),
      unique (shop_id, idempotency_key)
    ) with (fillfactor = 50); -- its counters change with every group of outcomes
    create index operations_recent on operations (shop_id, id desc); -- history, newest first
    create index operations_alive on operations (status) where status in ('queued', 'running'); -- the crash sweep

    create table items (
      shop_id integer not null,
      operation_id uuid not null,
      position integer not null,
      file_id uuid,
      -- No index names it: outcomes then rewrite a row in its page. Lists by status read the operation's rows in order.
      status text not null default 'pending'
        check (status in ('pending', 'running', 'done', 'failed', 'skipped', 'cancelled')),
      attempt smallint not null default 0,
      -- The claim that may write this item's outcome: a worker thought dead that still lives can't.
      lease bigint,
      -- Found running after a crash: it runs alone from then on.
      crashed boolean not null default false,
      run_after timestamptz,
      -- Where work goes on: the step's index, with the bytes and changes that the steps before it made.
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
      primary key (shop_id, operation_id, position),
      foreign key (shop_id, operation_id) references operations on delete cascade
    ) with (fillfactor = 50);
    create index items_file on items (shop_id, file_id) where file_id is not null; -- a file's history

    -- One row a chain of batches, and one (-1) for the operation's last steps.
    create sequence leases;
    create table chains (
      shop_id integer not null,
      operation_id uuid not null,
      chain smallint not null,
      lease bigint,
      worker_id uuid,
      -- Items before this position were claimed by someone.
      hint integer not null default 0,
      -- What the present lease holds.
      claimed integer[] not null default '{}',
      ended boolean not null default false,
      primary key (shop_id, operation_id, chain),
      foreign key (shop_id, operation_id) references operations on delete cascade
    );

    create table workers (
      id uuid primary key,
      -- Held as an advisory lock by the worker's connection: once it is gone and the beats with it, so is the worker.
      lock integer not null generated always as identity,
      -- graphile-worker locks jobs under its pool's id, which is what frees them after a crash.
      pool_id text not null,
      started_at timestamptz not null default now(),
      beat_at timestamptz not null default now()
    );

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
    create index notices_unread on notices (shop_id) where read_at is null; -- the count in the page's corner

    -- Effects outside the database, written in the transaction that decides them and carried out once.
    create table outbox (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      -- What it is about: a second run of the same step makes no second message.
      key text not null,
      kind text not null check (kind in ('email', 'callback')),
      payload jsonb not null,
      status text not null default 'waiting' check (status in ('waiting', 'sending', 'sent', 'failed')),
      attempts smallint not null default 0,
      result jsonb,
      created_at timestamptz not null default now(),
      sent_at timestamptz,
      primary key (shop_id, id),
      unique (shop_id, key)
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table outbox, notices, workers, chains, items, operations; drop sequence leases`)
}
