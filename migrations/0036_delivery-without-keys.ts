// What each download writes: rows that go with others by a trigger, not by a foreign key that is checked row by row, and one index.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Whoever opens a session has just written its link's row: that one can't go meanwhile.
    alter table download_sessions drop constraint download_sessions_shop_id_link_id_fkey;
    create function drop_sessions() returns trigger language plpgsql as $$
      begin
        delete from download_sessions using gone where download_sessions.link_id = gone.id;
        return null;
      end $$;
    create trigger links_sessions after delete on links
      referencing old table as gone for each statement execute function drop_sessions();

    -- Written for files that are there; what is written while its file goes is for the sweep.
    alter table downloads drop constraint downloads_shop_id_file_id_fkey, drop constraint downloads_pkey;
    drop index downloads_file;
    alter table downloads add primary key (shop_id, file_id, id); -- a file's downloads
    create function drop_downloads() returns trigger language plpgsql as $$
      begin
        delete from downloads using gone where downloads.shop_id = gone.shop_id and downloads.file_id = gone.id;
        return null;
      end $$;
    create trigger files_downloads after delete on files
      referencing old table as gone for each statement execute function drop_downloads();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger files_downloads on files;
    drop function drop_downloads;
    delete from downloads d where not exists (select from files f where f.shop_id = d.shop_id and f.id = d.file_id);
    alter table downloads drop constraint downloads_pkey;
    alter table downloads add primary key (shop_id, id), add foreign key (shop_id, file_id) references files on delete cascade;
    create index downloads_file on downloads (shop_id, file_id, id desc);

    drop trigger links_sessions on links;
    drop function drop_sessions;
    delete from download_sessions d where not exists (select from links l where l.id = d.link_id);
    alter table download_sessions add foreign key (shop_id, link_id) references links on delete cascade;
  `)
}
