// How often and how long a file may be viewed through a link, apart from its downloads.
import type { Knex } from 'knex'

// Indexes of a large table are not built in the transaction that changes it.
export const config = { transaction: false }

export const undo =
  'Limits and expiries of views: files can be viewed as long as their links are valid.'

// As in 0033_terms.ts.
const USE_ENDS = `(first_used_at at time zone 'UTC' + use_hours * interval '1 hour')
      at time zone 'UTC'`

const TERMS = `
  alter table files
    add column if not exists view_limit integer check (view_limit > 0),
    -- Days from when the link is valid. Null: as long as the link.
    add column if not exists view_days integer check (view_days > 0);
  alter table links
    add column if not exists view_limit integer check (view_limit > 0),
    -- Sessions of the viewer that were opened while the link had a limit of them.
    add column if not exists views integer not null default 0,
    -- Null: as long as the link is valid.
    add column if not exists view_expires_at timestamptz,
    -- The end for a viewer. A rental ends views too.
    add column if not exists views_end_at timestamptz generated always as
      (least(coalesce(view_expires_at, expires_at), ${USE_ENDS})) virtual;
`

const SESSIONS = `
  -- Sessions that were counted: within one, the same browser views the file again without a count.
  create table if not exists view_sessions (
    shop_id integer not null,
    link_id uuid not null,
    -- The hash of the browser's cookie.
    session bytea not null,
    expires_at timestamptz not null,
    primary key (shop_id, link_id, session),
    foreign key (shop_id, link_id) references links on delete cascade
  );
  create index if not exists view_sessions_expiry on view_sessions (expires_at); -- the sweep
`

/** Links under pages of deliveries that view nothing. */
const INDEXES: Readonly<Record<string, string>> = {
  links_child_views: `links (shop_id, id) where parent_id is not null and views >= view_limit`,
  links_child_views_end: `links (shop_id, view_expires_at)
    where parent_id is not null and view_expires_at is not null and revoked_at is null`,
}

export async function up(knex: Knex): Promise<void> {
  await knex.transaction(async (tx) => {
    await tx.raw(TERMS)
    await tx.raw(SESSIONS)
  })
  for (const [name, what] of Object.entries(INDEXES))
    await knex.transaction(async (tx) => {
      await tx.raw(`set local lock_timeout = '3s'`)
      await tx.raw(`create index if not exists ${name} on ${what}`)
    })
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index if exists ${Object.keys(INDEXES).join(', ')};
    drop table view_sessions;
    alter table links drop column views_end_at, drop column view_expires_at, drop column views,
      drop column view_limit;
    alter table files drop column view_days, drop column view_limit;
  `)
}
