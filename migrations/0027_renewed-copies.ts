// A file's new version reaches buyers whose delivery a workflow prepared: their copies are made again.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The file has another version than the one that was prepared. A copy that was made before is
    -- served until the new one is there; where there is none, nothing is served until then.
    alter table prepared_files add column stale boolean not null default false;
    create index prepared_files_stale on prepared_files (shop_id, delivery_id) where stale; -- the renewal

    create function mark_copies_stale() returns trigger language plpgsql as $$
    begin
      update prepared_files set stale = true
      where shop_id = new.shop_id and file_id = new.id and status = 'ready';
      return null;
    end $$;
    create trigger files_versioned after update of version on files
      for each row when (old.version is distinct from new.version)
      execute function mark_copies_stale();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger files_versioned on files;
    drop function mark_copies_stale();
    drop index prepared_files_stale;
    alter table prepared_files drop column stale;
  `)
}
