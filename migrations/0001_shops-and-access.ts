// Shops, their platform tokens, API keys and request limits. Every other table refers to a shop.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;

    create table shops (
      id integer generated always as identity primary key,
      domain text not null unique,
      name text not null,
      demo boolean not null default false,
      settings jsonb not null default '{}',
      installed_at timestamptz not null default now(),
      uninstalled_at timestamptz,
      -- The platform's values: email, time_zone. A setting equal to one follows its changes.
      profile jsonb,
      profile_due_at timestamptz not null default '-infinity'
    );

    -- Sealed: AES-256-GCM, a data key per row, bound to shop and column (server/secrets.ts).
    create table shop_tokens (
      shop_id integer primary key references shops on delete cascade,
      access_token bytea not null,
      expires_at timestamptz,
      refresh_token bytea,
      refresh_expires_at timestamptz,
      scope text not null
    );

    -- Held while a shop's token is exchanged or renewed. A row rather than a lock: no transaction
    -- stays open while the platform answers.
    create table token_leases (
      shop_id integer primary key references shops on delete cascade,
      holder uuid not null,
      expires_at timestamptz not null
    );

    create table api_keys (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      name text not null,
      -- SHA-256 is enough for a key with 256 random bits, and a look-up is one index probe.
      hash bytea not null unique,
      -- The first characters, so that a person can tell keys apart.
      hint text not null,
      scopes text[] not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      primary key (shop_id, id)
    );

    -- Kept 24 h. holder_beat_at tells a first request that is still running from one whose
    -- process died.
    create table idempotency_keys (
      shop_id integer not null references shops on delete cascade,
      key text not null,
      request_hash bytea not null,
      holder_beat_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      -- Sealed: a reply may contain the addresses of buyers' links.
      reply bytea,
      primary key (shop_id, key)
    );
    create index idempotency_keys_age on idempotency_keys (created_at); -- the daily sweep

    -- Counters that last a minute. Unlogged: losing them in a crash is harmless.
    create unlogged table rate_limits (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'drop table rate_limits, idempotency_keys, api_keys, token_leases, shop_tokens, shops',
  )
}
