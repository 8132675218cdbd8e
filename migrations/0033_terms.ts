// Terms of time: files that become available later, rentals, and access while a customer has a tag.
import type { Knex } from 'knex'
import {
  buildIndexes,
  expand,
  migrateInSteps,
  validateRows,
} from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo =
  'Release dates, rentals and customer tags: their files are available immediately, until their links expire.'

// PostgreSQL does not consider a time with a time zone plus hours immutable, but it does in UTC.
const USE_ENDS = `(first_used_at at time zone 'UTC' + use_hours * interval '1 hour')
      at time zone 'UTC'`

const TERMS = `
  alter table files
    -- A day in the shop's time zone.
    add column available_from text,
    -- Days from the purchase.
    add column available_after_days integer,
    add column first_use_hours integer,
    add column customer_tag text,
    add constraint files_available_from_check
      check (available_from ~ '^\\d{4}-\\d{2}-\\d{2}$') not valid,
    add constraint files_available_after_days_check check (available_after_days > 0) not valid,
    add constraint files_first_use_hours_check check (first_use_hours > 0) not valid,
    add constraint files_customer_tag_check check (customer_tag <> '') not valid;

  alter table links
    -- When the file can be downloaded; null: it could be when the link was created.
    add column available_at timestamptz,
    -- The merchant has set it for this link: it does not follow its file.
    add column own_release boolean not null default false,
    -- Its release was processed: the buyer was told, or need not be.
    add column released_at timestamptz,
    add column use_hours integer,
    add constraint links_use_hours_check check (use_hours > 0) not valid,
    add column first_used_at timestamptz,
    -- It was sold with the condition that the customer has the file's tag.
    add column needs_tag boolean not null default false,
    add column use_ends_at timestamptz generated always as (${USE_ENDS}) virtual,
    -- The end for a reader: the earlier of both.
    add column ends_at timestamptz generated always as (least(expires_at, ${USE_ENDS})) virtual;

  -- Files whose release has changed, until their links follow.
  create table release_changes (
    shop_id integer not null,
    file_id uuid not null,
    noted_at timestamptz not null default now(),
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create function note_release_change() returns trigger language plpgsql as $$
  begin
    insert into release_changes (shop_id, file_id) values (new.shop_id, new.id)
    -- Waits for a run that has read the earlier release and deletes the row.
    on conflict (shop_id, file_id) do update set noted_at = now();
    return null;
  end $$;
  create trigger files_release after update of available_from, available_after_days on files
    for each row when (old.available_from is distinct from new.available_from
      or old.available_after_days is distinct from new.available_after_days)
    execute function note_release_change();
`

const TAGS = `
  -- The tags of customers who bought a file that requires one. In lower case.
  create table customer_tags (
    shop_id integer not null references shops on delete cascade,
    customer_id text collate "C" not null,
    tags text[] not null default '{}',
    -- The platform's updatedAt of these tags. Null: they were not read yet.
    changed_at timestamptz,
    -- When the customer is to be read; null: nothing was reported since.
    due_at timestamptz default now(),
    -- Raised with every report: a run that read an earlier state leaves the customer due.
    noted bigint not null default nextval('leases'),
    attempts smallint not null default 0,
    primary key (shop_id, customer_id)
  );
  create index customer_tags_due on customer_tags (shop_id, due_at) where due_at is not null;

  -- The demo platform's customers.
  create table demo_customers (
    shop_id integer not null references shops on delete cascade,
    id bigint not null,
    tags text[] not null,
    updated_at timestamptz not null,
    primary key (shop_id, id)
  );

  -- How far the customers of a shop were compared with the platform's.
  create table customer_syncs (
    shop_id integer primary key references shops on delete cascade,
    synced_to timestamptz not null,
    due_at timestamptz not null default now()
  );
`

// The columns that decide a link's state now include the new ones.
const CHANGES = (columns: string) => `
  drop trigger links_changed on links;
  create trigger links_changed after update of ${columns} or delete on links
    for each statement execute function notify_link_changed();
`

const INDEXES = {
  // The list of files to be released.
  files_unreleased: `files (shop_id, available_from)
    where available_from is not null and deleted_at is null`,
  // The next releases of all shops. Counting a download changes none of its columns.
  links_unreleased: `links (available_at, shop_id, id)
    where available_at is not null and released_at is null`,
}

/** @param progress is called with the steps that are done, of all */
export const up = (
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> =>
  migrateInSteps(knex, progress, [
    expand(
      'links.ends_at',
      TERMS +
        TAGS +
        CHANGES('revoked_at, expires_at, download_limit, key_hash, available_at, use_hours'),
    ),
    validateRows('files'),
    validateRows('links'),
    ...buildIndexes(INDEXES),
  ])

export async function down(knex: Knex): Promise<void> {
  await knex.raw(CHANGES('revoked_at, expires_at, download_limit, key_hash'))
  await knex.raw(`
    drop table demo_customers, customer_syncs, customer_tags;
    drop trigger files_release on files;
    drop function note_release_change;
    drop table release_changes;
    drop index links_unreleased, files_unreleased;
    alter table links drop column ends_at, drop column use_ends_at, drop column needs_tag, drop column first_used_at,
      drop column use_hours, drop column released_at, drop column own_release,
      drop column available_at;
    alter table files drop column customer_tag, drop column first_use_hours,
      drop column available_after_days, drop column available_from;
  `)
}
