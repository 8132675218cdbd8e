// The shop's own workflows, and its schedules: what runs when, on which files.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workflows (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      name text not null,
      kind text not null check (kind in ('import', 'bulk')),
      parallel smallint not null check (parallel > 0),
      -- Plugins with their options, in order. An operation takes a copy when it starts, so that a change touches none.
      steps jsonb not null,
      -- Every import of this kind runs it instead of the built-in one.
      channel text check (channel in ('api', 'csv', 'upload', 'drop', 'cloud')),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (shop_id, id),
      unique (shop_id, name),
      check (channel is null or kind = 'import')
    );
    create unique index workflows_channel on workflows (shop_id, channel) where channel is not null; -- one each

    create table schedules (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      name text not null,
      enabled boolean not null default true,
      -- Five fields, in the shop's time zone as it is when the next run is reckoned.
      cron text not null,
      -- What it runs: an action, a built-in workflow, or one of the shop's own.
      action text,
      built_in text,
      workflow_id uuid,
      -- The action's.
      options jsonb not null default '{}',
      -- Which files, looked up anew with every run.
      filter jsonb not null default '{}',
      notify text not null default 'always' check (notify in ('always', 'errors', 'never')),
      -- The most files that one run may delete; above it, the run is a preview.
      cap integer not null default 100 check (cap > 0),
      -- Null while it is off.
      next_run_at timestamptz,
      last_run_at timestamptz,
      last_operation_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (shop_id, id),
      check (num_nonnulls(action, built_in, workflow_id) = 1),
      -- No action and not restrict: a shop that goes takes both along in one statement.
      foreign key (shop_id, workflow_id) references workflows,
      foreign key (shop_id, last_operation_id) references operations on delete set null (last_operation_id)
    );
    create index schedules_due on schedules (next_run_at) where next_run_at is not null; -- asked every few seconds
    create index schedules_workflow on schedules (shop_id, workflow_id) where workflow_id is not null; -- what uses it
    create index schedules_operation on schedules (shop_id, last_operation_id)
      where last_operation_id is not null; -- operations that are swept away
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table schedules, workflows`)
}
