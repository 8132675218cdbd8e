// Background work is jobs of the worker, each run under a lease of this table. It replaces the
// leases and heartbeats of CSV checks and mirror refreshes.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table background_tasks (
      task text not null,
      -- What the run is about: an upload, a shop; empty for the tasks of the whole installation.
      key text not null,
      shop_id integer references shops on delete cascade,
      -- Raised with every run: writes that name an older lease are refused.
      lease bigint not null,
      -- Null: no worker runs it. The worker's own heartbeat (workers.beat_at) keeps the lease alive.
      worker_id uuid,
      -- Runs since the last one that ended.
      attempts smallint not null default 0,
      primary key (task, key)
    );
    create index background_tasks_worker on background_tasks (worker_id) where worker_id is not null; -- the sweep
    create index background_tasks_shop on background_tasks (shop_id) where shop_id is not null; -- shops that go

    alter table csv_uploads drop column beaten_at, drop column attempts;
    create index csv_uploads_checking on csv_uploads (queued_at) where status = 'checking'; -- the sweep

    alter table catalog_mirrors drop column lease, drop column beat_at;
    truncate catalog_staged;
    alter table catalog_staged alter column lease type bigint using 0;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    truncate catalog_staged;
    alter table catalog_staged alter column lease type uuid using gen_random_uuid();
    alter table catalog_mirrors add column lease uuid, add column beat_at timestamptz;
    drop index csv_uploads_checking;
    alter table csv_uploads add column beaten_at timestamptz, add column attempts smallint not null default 0;
    create index csv_uploads_checking on csv_uploads (beaten_at) where status = 'checking';
    drop table background_tasks;
  `)
}
