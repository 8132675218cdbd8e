// Importing what was sent to the drop server: the shop's options, and what became of each file.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table drop_settings
      add column auto_import boolean not null default true,
      add column schedule text not null default 'hourly'
        check (schedule in ('hourly', 'realtime', 'manual')),
      add column match_by text not null default 'sku_prefix' check (match_by in ('sku_prefix', 'rules')),
      add column notify boolean not null default true,
      add column move_to_processed boolean not null default true,
      add column folder_names text not null default 'ignore'
        check (folder_names in ('ignore', 'tag', 'pack')),
      add column on_conflict text not null default 'error'
        check (on_conflict in ('error', 'rename', 'overwrite', 'new_version')),
      -- Of an hourly schedule; null: at the next full hour.
      add column next_import_at timestamptz,
      -- In real time: the import that takes in files as they arrive, and when it last got one.
      add column operation_id uuid,
      add column grown_at timestamptz;
    -- The import task looks for shops here.
    insert into drop_settings (shop_id) select distinct shop_id from drop_accounts
      on conflict do nothing;

    alter table drop_entries drop constraint drop_entries_state_check;
    alter table drop_entries
      -- processed, failed: what became of an import. note: the text beside a failed file.
      add constraint drop_entries_state_check check (state in
        ('writing', 'partial', 'waiting', 'importing', 'processed', 'failed', 'note')),
      -- Which import has it, and as which item. An import that lost its claim gets no bytes.
      add column claim uuid,
      add column operation_id uuid,
      add column position integer,
      -- Where it was dropped, and when it was moved to /processed/ or /failed/.
      add column dropped_folder text,
      add column dropped_name text,
      add column filed_at timestamptz,
      -- Of a failed one: {code, message, detail}.
      add column error jsonb,
      -- The import.csv that it was imported with.
      add column manifest_id uuid;
    create index drop_entries_importing on drop_entries (shop_id, operation_id, position)
      where state = 'importing'; -- what an import has, and which imports have ended
    create index drop_entries_filed on drop_entries (filed_at) where filed_at is not null; -- clearing

    -- Its batches have places of their own in every worker: somebody waits for each file.
    alter table operations add column prompt boolean not null default false;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table operations drop column prompt;
    drop index drop_entries_importing, drop_entries_filed;
    delete from drop_entries where state in ('processed', 'failed', 'note');
    alter table drop_entries drop constraint drop_entries_state_check;
    alter table drop_entries add constraint drop_entries_state_check
      check (state in ('writing', 'partial', 'waiting', 'importing'));
    alter table drop_entries drop column claim, drop column operation_id, drop column position,
      drop column dropped_folder, drop column dropped_name, drop column filed_at, drop column error,
      drop column manifest_id;
    alter table drop_settings drop column auto_import, drop column schedule, drop column match_by,
      drop column notify, drop column move_to_processed, drop column folder_names,
      drop column on_conflict, drop column next_import_at, drop column operation_id,
      drop column grown_at;
  `)
}
