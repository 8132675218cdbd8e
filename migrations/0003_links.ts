// Buyers' links and the sessions that let an interrupted download go on without being counted twice.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table links (
      shop_id integer not null,
      id uuid not null default uuidv7(),
      file_id uuid not null,
      -- SHA-256 of the key. The key is HMAC(secret, id, rotation): shown again at will, yet not in the database.
      key_hash bytea not null unique,
      rotation integer not null default 0,
      email text,
      expires_at timestamptz,
      download_limit integer check (download_limit > 0),
      -- Against the limit; a merchant can set it back.
      downloads integer not null default 0,
      -- All there ever were.
      served bigint not null default 0,
      last_download_at timestamptz,
      revoked_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (shop_id, id),
      foreign key (shop_id, file_id) references files on delete cascade
    ) with (fillfactor = 70); -- every download updates its row: keep that in the page
    create index links_file on links (shop_id, file_id, id); -- a file's links and its download count

    create table download_sessions (
      shop_id integer not null,
      link_id uuid not null,
      -- A hash of the client's address and agent.
      client bytea not null,
      expires_at timestamptz not null,
      bytes_left bigint not null,
      primary key (link_id, client),
      foreign key (shop_id, link_id) references links on delete cascade
    ) with (fillfactor = 70);
    create index download_sessions_age on download_sessions (expires_at); -- the sweep
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table download_sessions, links`)
}
