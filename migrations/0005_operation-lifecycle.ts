// What an operation goes through beyond its run: previewed, paused, stopped, tried again, undone.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations
      -- What its items are: {"type": "entries" | "files" | "filter" | "operation", …}.
      add column source jsonb not null default '{"type": "entries"}',
      -- Whether its items work on files that exist, each in its place: then no step touches bytes or the outside, a
      -- batch is large, and is claimed, changed and written in one transaction.
      add column set_wise boolean not null default false,
      -- Only its plan is wanted, until it is confirmed.
      add column preview boolean not null default false,
      -- Raised by each retry and by a confirmation: what is told at the end of one round is not told in another.
      add column round smallint not null default 0,
      -- What the last steps would do, a sentence each; found by a preview.
      add column intentions jsonb not null default '[]',
      -- The failure that ended all of it, where a step says onFailure: stop.
      add column stopped jsonb,
      add column undoes uuid,
      add column undone_by uuid,
      add column undo_until timestamptz,
      add column schedule_id uuid,
      add column artifact jsonb,
      add column paused_at timestamptz,
      -- Time spent paused, so that what remains is not guessed from it.
      add column paused_ms bigint not null default 0;

    -- A preview that ended is not alive, a cancelled operation is until its last steps have run.
    drop index operations_alive;
    create index operations_alive on operations (status)
      where status in ('previewing', 'queued', 'running') or (status = 'cancelled' and finished_at is null);
    create index operations_action on operations (shop_id, action, id desc); -- history of one kind
    create index operations_schedule on operations (shop_id, schedule_id, id desc) where schedule_id is not null;
    -- What an undo makes of it, and the sweep of what can't be undone any more.
    create index operations_undo_until on operations (undo_until) where undo_until is not null;

    alter table items
      -- What a preview promised, as [before, after]: the run skips a file that it would not give the same any more.
      add column plan jsonb;

    -- Its worker died in a batch that is claimed and written in one transaction: from then on its items are marked.
    alter table chains add column crashed boolean not null default false;

    -- Files that a running operation has in its hands for longer than a transaction: to any other they are in use.
    create table file_claims (
      shop_id integer not null,
      file_id uuid not null,
      operation_id uuid not null,
      lease bigint not null,
      primary key (shop_id, file_id),
      foreign key (shop_id, file_id) references files on delete cascade,
      foreign key (shop_id, operation_id) references operations on delete cascade
    );
    create index file_claims_lease on file_claims (shop_id, operation_id, lease); -- let go with the lease
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table file_claims;
    alter table chains drop column crashed;
    alter table items drop column plan;
    drop index operations_alive, operations_action, operations_schedule, operations_undo_until;
    create index operations_alive on operations (status) where status in ('queued', 'running');
    alter table operations drop column source, drop column set_wise, drop column preview, drop column round,
      drop column intentions, drop column stopped, drop column undoes, drop column undone_by, drop column undo_until,
      drop column schedule_id, drop column artifact, drop column paused_at, drop column paused_ms;
  `)
}
