// Views of files: who read or played which file, and when; the last ones of each link. Addresses that
// reported a mail as spam.
import type { Knex } from 'knex'

export const undo =
  'The list of views, and which addresses reported a mail as spam. Views and downloads work as before.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table file_views (
      shop_id integer not null,
      link_id uuid not null,
      file_id uuid not null,
      -- One row for each hour.
      hour timestamptz not null,
      -- The last request in this hour, and from where: a shortened address, a program.
      at timestamptz not null,
      address text not null,
      agent text not null,
      primary key (shop_id, link_id, hour),
      foreign key (shop_id, link_id) references links on delete cascade
    );
    create index file_views_file on file_views (shop_id, file_id, at); -- the history of a file
    create index file_views_age on file_views (at); -- the sweep

    -- True: only news is not sent to the address, because it reported a mail as spam.
    alter table mail_blocks add column complaint boolean not null default false;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table file_views;
    delete from mail_blocks where complaint;
    alter table mail_blocks drop column complaint;
  `)
}
