// Changed terms of delivered files are noted, so that the pages of their orders on the platform follow,
// and a link says whether the merchant set its expiry to a time.
import type { Knex } from 'knex'

export const undo =
  'Which expiry dates were set to a time, and notes of changed terms: orders on the platform may show earlier terms.'

const COLUMNS = ['revoked_at', 'available_at', 'expires_at', 'use_hours']

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- It does not follow the release of the file.
    alter table links add column own_expiry boolean not null default false;

    -- Pages of deliveries whose files got other terms, until their orders are marked. Without a unique
    -- key: a download that begins a rental must not wait for another transaction.
    create table term_changes (
      shop_id integer not null references shops on delete cascade,
      id bigint generated always as identity,
      page_id uuid not null,
      primary key (shop_id, id)
    );
    create function note_term_change() returns trigger language plpgsql as $$
    begin
      insert into term_changes (shop_id, page_id) values (new.shop_id, new.parent_id);
      return null;
    end $$;
    create trigger links_terms after update of ${COLUMNS.join(', ')}, first_used_at on links
      for each row when (new.paid and new.parent_id is not null and (
        ${COLUMNS.map((name) => `old.${name} is distinct from new.${name}`).join(' or ')}
        or new.use_hours is not null and old.first_used_at is distinct from new.first_used_at))
      execute function note_term_change()`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger links_terms on links;
    drop function note_term_change;
    drop table term_changes;
    alter table links drop column own_expiry`)
}
