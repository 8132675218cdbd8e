// Figures that the home page read from a row for each file and day: the downloads of a day, kept by
// triggers, and the most downloaded files and products of shops with many, which a worker renews.
// The parents of used-up links. Turns of the hourly sweeps. migrations/0039_fill-figures.ts fills them.
import type { Knex } from 'knex'

export const undo = 'Nothing.'

/** The trigger of migrations/0036_kept-counts.ts, with further columns. */
const noteUsedUp = (columns: string, values: string) => `
  create or replace function note_used_up_link() returns trigger language plpgsql as $$
  begin
    if new.downloads >= new.download_limit then
      insert into used_up_links (shop_id, link_id${columns})
      values (new.shop_id, new.id${values}) on conflict do nothing;
    else
      delete from used_up_links where shop_id = new.shop_id and link_id = new.id;
    end if;
    return null;
  end $$;`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The page of a delivery or a pack that the link is under, which never changes.
    alter table used_up_links add column parent_id uuid;
    ${noteUsedUp(', parent_id', ', new.parent_id')}

    -- Also writers of the previous version count, and no reader adds up the files of a day.
    create function note_file_days() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into shop_days as s (shop_id, day, figure, subject, value)
        select shop_id, day, 'downloads', '', sum(downloads) from added group by 1, 2 order by 1, 2
        on conflict (shop_id, day, figure, subject) do update set value = s.value + excluded.value;
      else
        insert into shop_days as s (shop_id, day, figure, subject, value)
        select n.shop_id, n.day, 'downloads', '', sum(n.downloads - o.downloads)
        from added n join gone o using (shop_id, day, file_id) group by 1, 2 order by 1, 2
        on conflict (shop_id, day, figure, subject) do update set value = s.value + excluded.value;
      end if;
      return null;
    end $$;
    create trigger file_days_added after insert on file_days
      referencing new table as added for each statement execute function note_file_days();
    create trigger file_days_changed after update on file_days
      referencing new table as added old table as gone
      for each statement execute function note_file_days();

    -- The most downloaded files and products of a period.
    create table shop_tops (
      shop_id integer not null references shops on delete cascade,
      days smallint not null,
      -- The last day of the period, in UTC.
      until date not null,
      -- file or product
      kind text not null,
      place smallint not null,
      -- The file's UUID, or the product's id.
      subject text not null,
      title text not null,
      downloads bigint not null,
      counted_at timestamptz not null default now(),
      primary key (shop_id, days, kind, place)
    );

    -- The last hour whose shops a sweep has taken.
    create table sweep_turns (
      sweep text primary key,
      hour timestamptz not null
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${noteUsedUp('', '')}
    alter table used_up_links drop column parent_id;
    drop table sweep_turns, shop_tops;
    drop trigger file_days_changed on file_days;
    drop trigger file_days_added on file_days;
    drop function note_file_days;
    delete from shop_days where figure = 'downloads';
  `)
}
