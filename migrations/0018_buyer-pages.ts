// How a shop's buyer pages look: colours, logo and own texts.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table buyer_pages (
      shop_id integer primary key references shops on delete cascade,
      -- What the shop has set (server/delivery/buyer-page.ts); absent fields have their defaults.
      settings jsonb not null default '{}',
      logo bytea,
      logo_type text,
      check ((logo is null) = (logo_type is null))
    );
    -- Web processes keep the look of each shop in memory.
    create function notify_buyer_page_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('buyer_page_changed', coalesce(new.shop_id, old.shop_id)::text);
      return null;
    end $$;
    create trigger buyer_pages_changed after insert or update or delete on buyer_pages
      for each row execute function notify_buyer_page_changed();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table buyer_pages; drop function notify_buyer_page_changed();')
}
