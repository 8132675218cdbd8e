// Tells web processes when links or shops change, so that they drop the links that they have
// cached. A statement that only counts downloads updates none of these columns and sends nothing.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function notify_link_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('link_changed', '');
      return null;
    end $$;
    create trigger links_changed after update of revoked_at, expires_at, download_limit, key_hash or delete on links
      for each statement execute function notify_link_changed();
    create trigger shops_changed after update of uninstalled_at on shops
      for each statement execute function notify_link_changed();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger links_changed on links;
    drop trigger shops_changed on shops;
    drop function notify_link_changed();
  `)
}
