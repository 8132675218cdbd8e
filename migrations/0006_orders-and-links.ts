// Orders and their deliveries, buyers' links with everything that is counted about them, licence
// keys, libraries, and the buyer's pages.
import { freesBlobs } from '../server/core/db/blob-references.ts'
import { firstSchema } from '../server/core/db/migration-steps.ts'
import { monthParts } from '../server/core/db/month-parts.ts'

/** SQL: when a rental ends that began with the first use of a link. */
const USE_ENDS_AT = `(first_used_at at time zone 'UTC' + use_hours * interval '1 hour')
      at time zone 'UTC'`

const SCHEMA = `
  -- Ids of webhooks that were taken in: the platform repeats them. Kept for some days.
  create table webhooks (
    shop_id integer not null references shops on delete cascade,
    id text collate "C" not null,
    topic text not null,
    received_at timestamptz not null default now(),
    primary key (shop_id, id)
  );
  create index webhooks_age on webhooks (received_at); -- the sweep

  -- What changed on the platform and is still to be read from there, once for each subject.
  create table platform_changes (
    shop_id integer not null references shops on delete cascade,
    kind text not null,
    -- The platform's id of the order, the product or the request; empty for the shop itself.
    subject text collate "C" not null,
    payload jsonb,
    -- Raised with every report: a run deletes the row only where nothing was reported meanwhile.
    noted bigint not null default nextval('leases'),
    due_at timestamptz not null default now(),
    -- Runs that failed since it was reported: each delays the next one.
    attempts smallint not null default 0,
    primary key (shop_id, kind, subject)
  );
  create index platform_changes_due on platform_changes (shop_id, due_at, subject)
    where kind = 'order'; -- the orders of the next batch

  -- How far the orders of a shop were compared with the platform's.
  create table order_syncs (
    shop_id integer primary key references shops on delete cascade,
    synced_to timestamptz not null,
    due_at timestamptz not null default now()
  );

  create table past_imports (
    shop_id integer not null,
    operation_id uuid not null,
    -- The platform's cursor after the last page whose orders were written; null: none was.
    cursor text,
    orders integer not null default 0,
    deliveries integer not null default 0,
    failed integer not null default 0,
    total integer not null,
    -- All pages were written.
    ended boolean not null default false,
    primary key (shop_id, operation_id),
    foreign key (shop_id, operation_id) references operations on delete cascade
  );

  create table orders (
    shop_id integer not null references shops on delete cascade,
    id text collate "C" not null,
    name text not null,
    confirmation_number text,
    email text,
    locale text,
    customer_id text collate "C",
    financial_status text,
    cancelled_at timestamptz,
    recommendation text,
    ordered_at timestamptz not null,
    -- The platform's updatedAt of the state that was reconciled last: an older one is ignored.
    changed_at timestamptz not null,
    reconciled_at timestamptz not null default now(),
    -- As the platform shows the customer; for what names the buyer.
    customer_name text,
    -- Sealed. Only while the order has a delivery and no email address.
    phone bytea,
    primary key (shop_id, id)
  );
  create index orders_email on orders (shop_id, (lower(email) collate "C")) where email is not null;
  create index orders_name on orders (shop_id, (lower(name) collate "C"));
  create index orders_confirmation on orders (shop_id, confirmation_number)
    where confirmation_number is not null;
  create index orders_customer on orders (shop_id, customer_id)
    where customer_id is not null; -- redaction
  create index orders_without_email on orders (shop_id, id) where email is null;
  create index orders_with_phone on orders (shop_id, id) where phone is not null;
  create index orders_ordered on orders (shop_id, ordered_at);

  create table order_lines (
    shop_id integer not null,
    order_id text collate "C" not null,
    id text collate "C" not null,
    position integer not null,
    title text not null,
    sku text collate "C",
    product_id text collate "C",
    variant_id text collate "C",
    -- Without what was refunded or removed.
    quantity integer not null,
    entitled boolean not null,
    -- {id, product_id, variant_id, quantity} of the bundle that the line is a component of.
    bundle jsonb,
    primary key (shop_id, order_id, id),
    foreign key (shop_id, order_id) references orders on delete cascade
  );
  create index order_lines_product on order_lines (shop_id, product_id) where entitled;
  create index order_lines_bundle on order_lines (shop_id, ((bundle ->> 'product_id') collate "C"))
    where entitled and bundle is not null;

  create table deliveries (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    order_id text collate "C" not null,
    -- Where the merchant corrected it; null: the order's.
    email text,
    held_by text check (held_by in ('risk', 'merchant', 'workflow')),
    held_at timestamptz,
    -- The merchant released it: the platform's judgement holds it no more.
    released_at timestamptz,
    -- By the merchant, for good.
    revoked_at timestamptz,
    -- The order no longer entitles its buyer to anything.
    withdrawn_at timestamptz,
    -- When the buyer's mail was queued for the first time.
    mailed_at timestamptz,
    opened_at timestamptz,
    -- What the platform's order was last asked to show: another value queues its effects.
    marked text,
    -- What the buyer asked for and the merchant has not answered: {at, email, message}.
    ask jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- When the last mail to its buyer came back; null: none did.
    bounced_at timestamptz,
    -- Sealed: the number that the merchant entered, in place of the order's.
    phone bytea,
    -- When the first text to its buyer was queued.
    texted_at timestamptz,
    primary key (shop_id, id),
    unique (shop_id, order_id),
    foreign key (shop_id, order_id) references orders on delete cascade
  ) with (fillfactor = 85);
  create index deliveries_created on deliveries (shop_id, created_at);
  -- The list of buyers, also those whose address the shop has corrected.
  create index deliveries_email on deliveries (shop_id, (lower(email) collate "C"))
    where email is not null;
  create index deliveries_bounced on deliveries (shop_id, id) where bounced_at is not null;
  create index deliveries_held on deliveries (shop_id, id desc) where held_by is not null;
  create index deliveries_ended on deliveries (shop_id, id desc)
    where revoked_at is not null or withdrawn_at is not null;
  create index deliveries_asked on deliveries (shop_id, id) where ask is not null;
  create index deliveries_with_phone on deliveries (shop_id, id) where phone is not null;

  create table delivery_files (
    shop_id integer not null,
    delivery_id uuid not null,
    -- Empty: the shop added the file to this order, which entitles its buyer as a whole.
    line_id text collate "C" not null,
    file_id uuid not null,
    -- Its line does not entitle any more: the file's link was revoked for that reason.
    withdrawn boolean not null default false,
    created_at timestamptz not null default now(),
    -- The operation that gave the file to a past buyer, or a UUID for each addition to one order;
    -- null: it belongs to the sale. No foreign key: history is shorter than deliveries.
    given_by uuid,
    -- Its operation was undone: the file stays withdrawn, also while its line is paid.
    taken_back boolean not null default false,
    primary key (shop_id, delivery_id, line_id, file_id),
    foreign key (shop_id, delivery_id) references deliveries on delete cascade,
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create index delivery_files_file on delivery_files (shop_id, file_id); -- the deliveries of a file
  create index delivery_files_given on delivery_files (shop_id, given_by, file_id)
    where given_by is not null;

  -- Files that a product got after it was sold, until the shop gives them to its past buyers or
  -- decides not to.
  create table new_files (
    shop_id integer not null,
    product_id text collate "C" not null,
    file_id uuid not null,
    noted_at timestamptz not null default now(),
    primary key (shop_id, product_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  );
  create index new_files_file on new_files (shop_id, file_id); -- deleted files

  -- Changes of the platform's order that are still to be made, once for each order and kind.
  create table order_effects (
    shop_id integer not null,
    order_id text collate "C" not null,
    kind text not null check (kind in ('mark', 'fulfil')),
    noted bigint not null default nextval('leases'),
    due_at timestamptz not null default now(),
    attempts smallint not null default 0,
    -- Why it was given up, in words for the shop.
    error text,
    primary key (shop_id, order_id, kind),
    foreign key (shop_id, order_id) references orders on delete cascade
  );
  create index order_effects_due on order_effects (shop_id, due_at) where error is null;

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

  -- How far the customers of a shop were compared with the platform's.
  create table customer_syncs (
    shop_id integer primary key references shops on delete cascade,
    synced_to timestamptz not null,
    due_at timestamptz not null default now()
  );

  create table links (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    -- Null for a pack's link: each file of the pack gets its own link under it.
    file_id uuid,
    -- SHA-256 of the key. The key is HMAC(secret, id, rotation): it can be shown again, but cannot
    -- be read from the database.
    key_hash bytea not null unique,
    rotation integer not null default 0,
    email text,
    expires_at timestamptz,
    download_limit integer check (download_limit > 0),
    -- Counted against the limit; a merchant can reset it.
    downloads integer not null default 0,
    -- All downloads since the link was created.
    served bigint not null default 0,
    last_download_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null default now(),
    pack_id uuid,
    parent_id uuid,
    -- The operation that created it. No foreign key: history is shorter than some links.
    operation_id uuid,
    -- When a buyer last asked for more downloads: limits how often one link sends mail to the shop.
    asked_at timestamptz,
    -- The name of a deleted pack: its links remain, revoked, so that their holders get the reason.
    pack_name text,
    -- A delivery's page is a link without a file; its files have links under it.
    delivery_id uuid,
    -- Under a delivery: it has its own terms, and works on when its file loses its products.
    paid boolean not null default false,
    -- When the file can be downloaded; null: it could be when the link was created.
    available_at timestamptz,
    -- The merchant has set it for this link: it does not follow its file.
    own_release boolean not null default false,
    -- Its release was processed: the buyer was told, or need not be.
    released_at timestamptz,
    use_hours integer check (use_hours > 0),
    first_used_at timestamptz,
    -- It was sold with the condition that the customer has the file's tag.
    needs_tag boolean not null default false,
    use_ends_at timestamptz generated always as (${USE_ENDS_AT}) virtual,
    -- The end for a reader: the earlier of both.
    ends_at timestamptz generated always as (least(expires_at, ${USE_ENDS_AT})) virtual,
    -- It does not follow the release of the file.
    own_expiry boolean not null default false,
    -- Null: what its file asks for, or the link of its pack.
    ask_for text check (ask_for in ('nothing', 'email') or ask_for like '$argon2id$%'),
    -- The tag that this buyer's customer must have instead of the file's; null: that of the file.
    own_tag text check (own_tag <> ''),
    view_limit integer check (view_limit > 0),
    -- Sessions of the viewer that were opened while the link had a limit of them.
    views integer not null default 0,
    -- Null: as long as the link is valid.
    view_expires_at timestamptz,
    -- The merchant has set it for this link: it does not follow the release of its file.
    own_view_expiry boolean not null default false,
    -- The end for a viewer. A rental ends views too.
    views_end_at timestamptz generated always as
      (least(coalesce(view_expires_at, expires_at), ${USE_ENDS_AT})) virtual,
    primary key (shop_id, id),
    foreign key (shop_id, file_id) references files on delete cascade,
    constraint links_of_one check (num_nonnulls(file_id, pack_id, pack_name, delivery_id) = 1),
    constraint links_pack_fkey foreign key (shop_id, pack_id) references packs on delete cascade,
    constraint links_delivery_fkey
      foreign key (shop_id, delivery_id) references deliveries on delete cascade,
    constraint links_parent_fkey
      foreign key (shop_id, parent_id) references links on delete cascade,
    -- Deletes the links of deleted packs with their shop: they have neither file nor pack.
    constraint links_shop_fkey foreign key (shop_id) references shops on delete cascade
  ) with (fillfactor = 70); -- every download updates its row within the page
  create index links_file on links (shop_id, file_id, id); -- a file's links and its download count
  create unique index links_parent on links (shop_id, parent_id, file_id)
    where parent_id is not null;
  create index links_pack on links (shop_id, pack_id, id)
    where pack_id is not null; -- a pack's links
  create unique index links_delivery on links (shop_id, delivery_id) where delivery_id is not null;
  create index links_operation on links (shop_id, operation_id, id)
    where operation_id is not null; -- the operation's artifact
  -- Links of one buyer, and those whose address begins with the typed text.
  create index links_email on links (shop_id, (lower(email) collate "C"), id)
    where email is not null;
  -- The few that a merchant revoked. Index no other column that decides a link's state: counting a
  -- download would then update every index instead of the row alone.
  create index links_revoked on links (shop_id, id) where revoked_at is not null;
  create index links_gone_packs on links (shop_id, id)
    where pack_name is not null; -- search by name
  create index links_unreleased on links (available_at, shop_id, id)
    where available_at is not null and released_at is null;
  create index links_child_expiry on links (shop_id, expires_at)
    where parent_id is not null and expires_at is not null and revoked_at is null;
  create index links_child_use on links (shop_id, id)
    where parent_id is not null and first_used_at is not null and use_hours is not null;
  create index links_used_up_views on links (shop_id, id) where views >= view_limit;
  create index links_child_views_end on links (shop_id, view_expires_at)
    where parent_id is not null and view_expires_at is not null and revoked_at is null;

  create function drop_sessions() returns trigger language plpgsql as $$
      begin
        delete from download_sessions using gone where download_sessions.link_id = gone.id;
        return null;
      end $$;
  create trigger links_sessions after delete on links
    referencing old table as gone for each statement execute function drop_sessions();

  -- Tells web processes when links or shops change, so that they drop the links that they have
  -- cached. A statement that only counts downloads updates none of these columns and sends nothing.
  create function notify_link_changed() returns trigger language plpgsql as $$
  begin
    perform pg_notify('link_changed', '');
    return null;
  end $$;

  create function note_link_downloads() returns trigger language plpgsql as $$
  begin
    insert into file_download_changes (shop_id, file_id, change) values (new.shop_id, new.file_id,
      new.served - case when tg_op = 'UPDATE' then old.served else 0 end);
    return null;
  end $$;
  create trigger links_counted after update of served on links for each row
    when (old.served <> new.served and new.file_id is not null)
    execute function note_link_downloads();
  create trigger links_added after insert on links for each row
    when (new.served <> 0 and new.file_id is not null) execute function note_link_downloads();

  create function note_gone_links() returns trigger language plpgsql as $$
  begin
    insert into file_download_changes (shop_id, file_id, change)
      select shop_id, file_id, -sum(served) from gone
      where served <> 0 and file_id is not null group by 1, 2;
    return null;
  end $$;
  create trigger links_removed after delete on links
    referencing old table as gone for each statement execute function note_gone_links();

  create function note_used_up_link() returns trigger language plpgsql as $$
  begin
    if new.downloads >= new.download_limit then
      insert into used_up_links (shop_id, link_id, parent_id)
      values (new.shop_id, new.id, new.parent_id) on conflict do nothing;
    else
      delete from used_up_links where shop_id = new.shop_id and link_id = new.id;
    end if;
    return null;
  end $$;
  create trigger links_used_up after update of downloads, download_limit on links for each row
    when ((old.downloads >= old.download_limit)
      is distinct from (new.downloads >= new.download_limit))
    execute function note_used_up_link();
  create trigger links_added_used_up after insert on links for each row
    when (new.downloads >= new.download_limit) execute function note_used_up_link();

  create function note_term_change() returns trigger language plpgsql as $$
  begin
    insert into term_changes (shop_id, page_id) values (new.shop_id, new.parent_id);
    return null;
  end $$;
  create trigger links_terms
    after update of revoked_at, available_at, expires_at, use_hours, first_used_at on links
    for each row when (new.paid and new.parent_id is not null and (
      old.revoked_at is distinct from new.revoked_at
      or old.available_at is distinct from new.available_at
      or old.expires_at is distinct from new.expires_at
      or old.use_hours is distinct from new.use_hours
      or new.use_hours is not null and old.first_used_at is distinct from new.first_used_at))
    execute function note_term_change();
  create trigger links_changed after update of revoked_at, expires_at, download_limit, key_hash,
    available_at, use_hours, ask_for or delete on links
    for each statement execute function notify_link_changed();

  -- Lets an interrupted download resume without being counted twice. No foreign key to links:
  -- checking it row by row was slow. A session is opened right after its link's row was updated, in
  -- the same transaction, so that the link can't be deleted in between. No index on expires_at:
  -- reopening a session then updates the row within the page, and the sweep reads the small table.
  create table download_sessions (
    shop_id integer not null,
    link_id uuid not null,
    -- A hash of the client's address and agent.
    client bytea not null,
    expires_at timestamptz not null,
    bytes_left bigint not null,
    -- A hash of the client's network. Null: the session is continued by its client alone.
    network bytea,
    -- The client that continues the session in place of the one that began it.
    successor bytea,
    -- Bytes of counted copies that were not sent when their transfers had ended.
    missing bigint not null default 0,
    -- Where the bytes end that were sent: a client in another network may continue before it.
    sent_to bigint not null default 0,
    -- Transfers of whole copies that are running, as long as their process extends this time.
    open integer not null default 0,
    open_until timestamptz,
    -- The version that it began with: a part of another one does not continue it.
    hash bytea,
    primary key (link_id, client)
  ) with (fillfactor = 70);
  create index download_sessions_network on download_sessions (link_id, network)
    where network is not null;

  -- What a download of all files sends is fixed when it is counted, so that it can be resumed.
  create table archive_sessions (
    shop_id integer not null,
    -- The delivery's link.
    link_id uuid not null,
    client bytea not null,
    entries jsonb not null,
    expires_at timestamptz not null,
    bytes_left bigint not null,
    -- A hash of the client's network. Null: the session is continued by its client alone.
    network bytea,
    -- The client that continues the session in place of the one that began it.
    successor bytea,
    -- Bytes of counted copies that were not sent when their transfers had ended.
    missing bigint not null default 0,
    -- Where the bytes end that were sent: a client in another network may continue before it.
    sent_to bigint not null default 0,
    -- Transfers of whole copies that are running, as long as their process extends this time.
    open integer not null default 0,
    open_until timestamptz,
    primary key (link_id, client),
    foreign key (shop_id, link_id) references links on delete cascade
  );
  create index archive_sessions_shop on archive_sessions (shop_id, link_id);
  create index archive_sessions_network on archive_sessions (link_id, network)
    where network is not null;

  -- The last batch that each connection of a process has counted, marked in its transaction: it says
  -- whether one was committed whose answer was lost. used_at has no index, so that every update stays
  -- within the page.
  create table counted_batches (
    slot uuid primary key,
    number bigint not null,
    used_at timestamptz not null
  ) with (fillfactor = 50);

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

  -- The address of a public file: stable until a merchant replaces it. A table apart from files,
  -- since counting a download must not update the file's row.
  create table public_addresses (
    shop_id integer not null,
    file_id uuid not null,
    token uuid not null unique default gen_random_uuid(),
    downloads bigint not null default 0,
    last_download_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  ) with (fillfactor = 70);

  create function note_address_downloads() returns trigger language plpgsql as $$
  begin
    insert into file_download_changes (shop_id, file_id, change) values (new.shop_id, new.file_id,
      new.downloads - case when tg_op = 'UPDATE' then old.downloads else 0 end);
    return null;
  end $$;
  create trigger public_addresses_counted after update of downloads on public_addresses
    for each row when (old.downloads <> new.downloads) execute function note_address_downloads();
  create trigger public_addresses_added after insert on public_addresses
    for each row when (new.downloads <> 0) execute function note_address_downloads();

  -- Kept only for files with tracking. No foreign key, as for download_sessions: a trigger deletes
  -- the rows with their file, and the sweep removes a row that was written meanwhile.
  create table downloads (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    file_id uuid not null,
    link_id uuid,
    address text not null,
    agent text not null,
    at timestamptz not null,
    primary key (shop_id, file_id, id) -- a file's downloads
  ) partition by range (id);
  ${monthParts('downloads')}
  -- The sweep. BRIN: rows are inserted in the order of their time.
  create index downloads_age on downloads using brin (at) with (autosummarize = on);

  -- The downloads of a file: the sum over its links and its public address. A table apart from
  -- files, since counting must not update the file's row.
  create table file_downloads (
    shop_id integer not null,
    file_id uuid not null,
    downloads bigint not null default 0,
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  ) with (fillfactor = 70);
  -- The list sorted by downloads.
  create index file_downloads_order on file_downloads (shop_id, downloads, file_id);

  -- Counts that are not in file_downloads yet, written in the transaction that counts a download.
  -- Rows are only added, so that downloads of one file through several links do not wait for each
  -- other. No foreign keys: checking them row by row would be slow, and the rows live for a minute.
  create table file_download_changes (
    shop_id integer not null,
    file_id uuid not null,
    change bigint not null
  );
  create index file_download_changes_shop on file_download_changes (shop_id);

  create function drop_downloads() returns trigger language plpgsql as $$
      begin
        delete from downloads using gone
        where downloads.shop_id = gone.shop_id and downloads.file_id = gone.id;
        return null;
      end $$;
  create trigger files_downloads after delete on files
    referencing old table as gone for each statement execute function drop_downloads();

  -- Downloads that the shop asked to be notified of, until the notification is sent.
  create table download_notices (
    shop_id integer not null,
    file_id uuid not null,
    -- Downloads since the last notification.
    untold integer not null default 0,
    told_at timestamptz,
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  ) with (fillfactor = 70);
  create index download_notices_untold on download_notices (told_at) where untold > 0; -- those due

  -- What buyers could not download, and why: the last ones of each link.
  create table refused_downloads (
    shop_id integer not null,
    link_id uuid not null,
    -- Null: the page of a delivery or of a pack.
    file_id uuid,
    reason text not null,
    -- One row for each minute and reason.
    minute timestamptz not null,
    -- The last attempt in this minute, and from where: a shortened address, a program.
    at timestamptz not null,
    times integer not null,
    address text not null,
    agent text not null,
    primary key (shop_id, link_id, reason, minute),
    foreign key (shop_id, link_id) references links on delete cascade
  );
  -- The history of a file.
  create index refused_downloads_file on refused_downloads (shop_id, file_id, at)
    where file_id is not null;
  create index refused_downloads_age on refused_downloads (at); -- the sweep

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

  -- Links that have reached their limit. A table apart from links, because an index on the count
  -- would make each download update all indexes of its row. It may hold links that have downloads
  -- left: readers compare again.
  create table used_up_links (
    shop_id integer not null,
    link_id uuid not null,
    -- The page of a delivery or a pack that the link is under, which never changes.
    parent_id uuid,
    primary key (shop_id, link_id),
    foreign key (shop_id, link_id) references links on delete cascade
  );
  create index used_up_links_parent on used_up_links (shop_id, link_id) where parent_id is not null;

  -- Files whose release has changed, until their links follow.
  create table release_changes (
    shop_id integer not null,
    file_id uuid not null,
    noted_at timestamptz not null default now(),
    primary key (shop_id, file_id),
    foreign key (shop_id, file_id) references files on delete cascade
  );

  -- Pages of deliveries whose files got other terms, until their orders are marked. Without a
  -- unique key: a download that begins a rental must not wait for another transaction.
  create table term_changes (
    shop_id integer not null references shops on delete cascade,
    id bigint generated always as identity,
    page_id uuid not null,
    primary key (shop_id, id)
  );

  create trigger shops_changed after update of uninstalled_at on shops
    for each statement execute function notify_link_changed();

  -- What a workflow does for one delivery. Its buyer gets nothing before it is ready.
  create table delivery_runs (
    shop_id integer not null,
    delivery_id uuid not null,
    -- The link of the delivery's page.
    page_id uuid not null,
    workflow jsonb not null,
    -- {order, buyer, quantities}: what its plugins are told. Personal data.
    about jsonb not null,
    -- failed: the delivery is held until it is prepared again.
    status text not null default 'waiting' check (status in ('waiting', 'ready', 'failed')),
    -- Runs since it began to wait: the engine gives up after some.
    attempts smallint not null default 0,
    -- Why it failed: an error code, and a sentence for the merchant.
    code text,
    reason text,
    -- Titles of what its steps have told the shop: nothing is told twice.
    messages jsonb not null default '[]',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- A mail to the buyer names files that are being prepared: another one follows when they are
    -- ready.
    mail_follows boolean not null default false,
    reason_values jsonb,
    primary key (shop_id, delivery_id),
    foreign key (shop_id, page_id) references links on delete cascade
  );
  create unique index delivery_runs_page on delivery_runs (shop_id, page_id);
  create index delivery_runs_waiting on delivery_runs (created_at)
    where status = 'waiting'; -- the sweep
  create index delivery_runs_failed on delivery_runs (shop_id, code) where status = 'failed';

  create table prepared_files (
    shop_id integer not null,
    delivery_id uuid not null,
    file_id uuid not null,
    -- The buyer's link to the file; null: it is left out of the delivery.
    link_id uuid,
    status text not null default 'waiting' check (status in ('waiting', 'ready', 'left_out')),
    -- Why it was left out, or failed.
    reason text,
    -- The buyer's own copy; null: the file's current version.
    hash bytea,
    location text,
    size_bytes bigint,
    content_type text,
    -- The version of the file that the copy was made of.
    version integer,
    -- The file has another version than the one that was prepared. A copy that was made before is
    -- served until the new one is there; where there is none, nothing is served until then.
    stale boolean not null default false,
    -- The buyer's own copy was found damaged.
    damaged boolean not null default false,
    primary key (shop_id, delivery_id, file_id),
    foreign key (shop_id, delivery_id) references delivery_runs on delete cascade,
    foreign key (shop_id, file_id) references files on delete cascade,
    foreign key (shop_id, link_id) references links on delete set null (link_id),
    foreign key (shop_id, hash, location) references blob_locations
  );
  create unique index prepared_files_link on prepared_files (shop_id, link_id)
    where link_id is not null; -- delivery, for each download
  create index prepared_files_file on prepared_files (shop_id, file_id); -- deleted files
  create index prepared_files_blob on prepared_files (shop_id, hash, location)
    where hash is not null; -- which copies need a blob
  ${freesBlobs('prepared_files', { moves: true })}
  create index prepared_files_damaged on prepared_files (shop_id, hash, location) where damaged;
  create index prepared_files_stale on prepared_files (shop_id, delivery_id)
    where stale; -- the renewal

  create function mark_copies_stale() returns trigger language plpgsql as $$
  begin
    update prepared_files set stale = true
    where shop_id = new.shop_id and file_id = new.id and status = 'ready';
    return null;
  end $$;
  create trigger files_versioned after update of version on files
    for each row when (old.version is distinct from new.version)
    execute function mark_copies_stale();

  create table licence_lists (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    name text not null,
    name_key text collate "C" not null,
    created_at timestamptz not null default now(),
    -- Its buyers keep their keys.
    deleted_at timestamptz,
    -- When the shop was warned that it runs out: once, until keys are added.
    warned_at timestamptz,
    -- The pattern of its keys (server/features/preparation/model/key-pattern.ts); null: the
    -- merchant adds the keys.
    generate jsonb,
    -- Days from the assignment, of keys that are assigned from now on; null: never.
    expiry_days integer check (expiry_days > 0),
    -- Of each key, also of those that are assigned; null: unlimited.
    activation_limit integer check (activation_limit > 0),
    revoke_on_refund boolean not null default false,
    primary key (shop_id, id)
  );
  create unique index licence_lists_name on licence_lists (shop_id, name_key)
    where deleted_at is null;

  create table licence_keys (
    shop_id integer not null,
    id uuid not null default uuidv7(),
    list_id uuid not null,
    -- HMAC of the key: no key is in a shop twice, and the table does not give it away.
    hash bytea not null,
    -- The key, bound to its shop.
    sealed bytea not null,
    -- No foreign key: a key that was given stays used when its delivery is gone.
    delivery_id uuid,
    file_id uuid,
    ordinal smallint,
    assigned_at timestamptz,
    created_at timestamptz not null default now(),
    -- The order's line whose unit took the key; null: the key belongs to the file.
    line_id text collate "C",
    -- When the buyer or the shop could first read it; before that it can be returned to its list.
    shown_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    -- rotation: another key has replaced it, and it is shown to the merchant only.
    revoked_by text collate "C" check (revoked_by in ('merchant', 'refund', 'rotation')),
    -- The merchant restored it: refunds do not revoke it any more.
    restored_at timestamptz,
    primary key (shop_id, id),
    unique (shop_id, hash),
    foreign key (shop_id, list_id) references licence_lists on delete cascade,
    check (num_nonnulls(delivery_id, file_id, ordinal, assigned_at) in (0, 4)),
    constraint licence_keys_revoked check ((revoked_at is null) = (revoked_by is null))
  );
  create index licence_keys_free on licence_keys (shop_id, list_id, id) where delivery_id is null;
  -- The files with keys of a list.
  create index licence_keys_files on licence_keys (shop_id, list_id, file_id)
    where delivery_id is not null;
  create unique index licence_keys_given
    on licence_keys (shop_id, delivery_id, list_id, line_id, file_id, ordinal)
    nulls not distinct where delivery_id is not null and revoked_by is distinct from 'rotation';
  create index licence_keys_assigned on licence_keys (shop_id, list_id, assigned_at, id)
    where delivery_id is not null;
  -- A program that verifies a key does not say whose shop it is from.
  create index licence_keys_hash on licence_keys (hash) where delivery_id is not null;

  create table licence_activations (
    shop_id integer not null,
    key_id uuid not null,
    -- A name that the activated program chose for its place: a device, a site.
    instance text collate "C" not null,
    -- From where it was activated.
    address text not null,
    activated_at timestamptz not null default now(),
    -- When it last activated or verified the key; written once a day at most.
    seen_at timestamptz not null default now(),
    primary key (shop_id, key_id, instance),
    foreign key (shop_id, key_id) references licence_keys on delete cascade
  );

  -- How a shop's buyer pages look: colours, logo and own texts.
  create table buyer_pages (
    shop_id integer primary key references shops on delete cascade,
    -- What the shop has set (server/features/downloads/buyer-page.ts); absent fields have their
    -- defaults.
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

  -- Answers to customers' requests for their data, until the merchant has fetched them.
  create table customer_data (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    -- The platform's own ids, which say about whom it is without naming the person.
    customer_id text collate "C",
    order_ids text[] not null default '{}',
    -- HMACs of the addresses that were asked for: a demand to delete finds the document by them.
    addresses bytea[] not null default '{}',
    -- Sealed, as it contains personal data of one customer: bound to shop and row.
    document bytea not null,
    size_bytes integer not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    primary key (shop_id, id)
  );
  create index customer_data_age on customer_data (expires_at); -- the sweep

  -- The orders of the demo shop, as the stand-in for the platform keeps them.
  create sequence demo_order_numbers start 1001;

  create table demo_orders (
    shop_id integer not null references shops on delete cascade,
    id bigint not null,
    data jsonb not null,
    updated_at timestamptz not null,
    primary key (shop_id, id)
  );
  create index demo_orders_updated on demo_orders (shop_id, updated_at); -- the hourly comparison

  -- The demo platform's customers.
  create table demo_customers (
    shop_id integer not null references shops on delete cascade,
    id bigint not null,
    tags text[] not null,
    updated_at timestamptz not null,
    primary key (shop_id, id)
  );
`

export const { up, down } = firstSchema(SCHEMA)
