// What a link asks before a download: the buyer's address or a password. And who has answered.
import type { Knex } from 'knex'
import { expand, migrateInSteps, validateRows } from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo =
  'What links ask before a download, and who opened them: their files are downloaded without an answer.'

const ASKS = `
  alter table files
    -- Null: nothing. Else 'email', or the hash of a password (plugins/passwords.ts).
    add column ask_for text,
    add constraint files_ask_for_check
      check (ask_for = 'email' or ask_for like '$argon2id$%') not valid;
  alter table links
    -- Null: what its file asks for, or the link of its pack.
    add column ask_for text,
    add constraint links_ask_for_check
      check (ask_for in ('nothing', 'email') or ask_for like '$argon2id$%') not valid;
`

const OPENINGS = `
  -- Right answers. One row for each link, address and minute.
  create table link_openings (
    shop_id integer not null,
    link_id uuid not null,
    -- Null: the page of a pack.
    file_id uuid,
    -- The address that was given, in lower case; '': a password.
    email text not null,
    minute timestamptz not null,
    at timestamptz not null,
    -- Shortened, and a program; '' for a file without tracking.
    address text not null,
    agent text not null,
    primary key (shop_id, link_id, minute, email),
    foreign key (shop_id, link_id) references links on delete cascade
  );
  create index link_openings_age on link_openings (at); -- the sweep
`

// The columns that decide whether a link can be used now include what it asks for.
const CHANGES = (columns: string) => `
  drop trigger links_changed on links;
  create trigger links_changed after update of ${columns} or delete on links
    for each statement execute function notify_link_changed();
`
const BEFORE = 'revoked_at, expires_at, download_limit, key_hash, available_at, use_hours'

/** @param progress is called with the steps that are done, of all */
export const up = (
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> =>
  migrateInSteps(knex, progress, [
    expand('links.ask_for', ASKS + OPENINGS + CHANGES(`${BEFORE}, ask_for`)),
    validateRows('files'),
    validateRows('links'),
  ])

export async function down(knex: Knex): Promise<void> {
  await knex.raw(CHANGES(BEFORE))
  await knex.raw(`
    drop table link_openings;
    alter table links drop column ask_for;
    alter table files drop column ask_for;
  `)
}
