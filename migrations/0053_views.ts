// How often and how long a file may be viewed through a link, apart from its downloads.
import type { Knex } from 'knex'
import {
  buildIndexes,
  expand,
  migrateInSteps,
  validateRows,
} from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo =
  'Limits and expiries of views: files can be viewed as long as their links are valid.'

// As in 0033_terms.ts.
const USE_ENDS = `(first_used_at at time zone 'UTC' + use_hours * interval '1 hour')
      at time zone 'UTC'`

const TERMS = `
  alter table files
    add column view_limit integer,
    -- Days from when the link is valid. Null: as long as the link.
    add column view_days integer,
    add constraint files_view_limit_check check (view_limit > 0) not valid,
    add constraint files_view_days_check check (view_days > 0) not valid;
  alter table links
    add column view_limit integer,
    -- Sessions of the viewer that were opened while the link had a limit of them.
    add column views integer not null default 0,
    -- Null: as long as the link is valid.
    add column view_expires_at timestamptz,
    -- The merchant has set it for this link: it does not follow the release of its file.
    add column own_view_expiry boolean not null default false,
    -- The end for a viewer. A rental ends views too.
    add column views_end_at timestamptz generated always as
      (least(coalesce(view_expires_at, expires_at), ${USE_ENDS})) virtual,
    add constraint links_view_limit_check check (view_limit > 0) not valid;
`

const SESSIONS = `
  -- Sessions that were counted: within one, the same browser views the file again without a count.
  create table view_sessions (
    shop_id integer not null,
    link_id uuid not null,
    -- The hash of the browser's cookie.
    session bytea not null,
    expires_at timestamptz not null,
    primary key (shop_id, link_id, session),
    foreign key (shop_id, link_id) references links on delete cascade
  );
  create index view_sessions_expiry on view_sessions (expires_at); -- the sweep
`

const INDEXES = {
  // Links whose views are used up.
  links_used_up_views: `links (shop_id, id) where views >= view_limit`,
  // Links under pages of deliveries whose views have ended.
  links_child_views_end: `links (shop_id, view_expires_at)
    where parent_id is not null and view_expires_at is not null and revoked_at is null`,
}

/** @param progress is called with the steps that are done, of all */
export const up = (
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> =>
  migrateInSteps(knex, progress, [
    expand('links.views_end_at', TERMS + SESSIONS),
    validateRows('files'),
    validateRows('links'),
    ...buildIndexes(INDEXES),
  ])

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index ${Object.keys(INDEXES).join(', ')};
    drop table view_sessions;
    alter table links drop column views_end_at, drop column own_view_expiry,
      drop column view_expires_at, drop column views, drop column view_limit;
    alter table files drop column view_days, drop column view_limit;
  `)
}
