// Buyers' libraries: the keys that open them, and when each address opened its library.
import type { Knex } from 'knex'

export const undo = 'The links to libraries that were mailed to buyers, and when they were opened.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A request is a row without a sent mail; the task that finds the address's files sends it.
    create table library_keys (
      shop_id integer not null references shops on delete cascade,
      id uuid not null,
      -- In lower case.
      email text not null,
      -- SHA-256 of the key, which is made of the id as those of links are.
      key_hash bytea not null unique,
      -- The language of the mail and the page.
      locale text,
      pending boolean not null default true,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      opened_at timestamptz,
      primary key (shop_id, id)
    );
    create index library_keys_email on library_keys (shop_id, email, id);
    create index library_keys_pending on library_keys (shop_id, created_at) where pending;
    create index library_keys_age on library_keys (expires_at); -- the sweep

    create table library_visits (
      shop_id integer not null references shops on delete cascade,
      -- In lower case.
      email text not null,
      visited_at timestamptz not null,
      -- What is newer than this is marked as new; null: the first visit.
      previous_at timestamptz,
      primary key (shop_id, email)
    );
    create index library_visits_age on library_visits (visited_at); -- the sweep

    -- The list of buyers, also those whose address the shop has corrected.
    create index deliveries_email on deliveries (shop_id, (lower(email) collate "C"))
      where email is not null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index deliveries_email;
    drop table library_visits, library_keys;
  `)
}
