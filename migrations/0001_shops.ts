// Shops, their platform tokens and API keys. Every other table hangs on a shop.
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
      uninstalled_at timestamptz
    );

    -- Sealed: AES-256-GCM with a data key per row, bound to shop and column (server/secrets.ts).
    create table shop_tokens (
      shop_id integer primary key references shops on delete cascade,
      access_token bytea not null,
      expires_at timestamptz,
      refresh_token bytea,
      refresh_expires_at timestamptz,
      scope text not null
    );

    create table api_keys (
      shop_id integer not null references shops on delete cascade,
      id uuid not null default uuidv7(),
      name text not null,
      -- SHA-256 of a key with 256 random bits: nothing slower is needed, and the look-up is one index probe.
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

    -- Kept 24 h. holder_beat_at tells a first request that still runs from one whose process died.
    create table idempotency_keys (
      shop_id integer not null references shops on delete cascade,
      key text not null,
      request_hash bytea not null,
      -- json, not jsonb: the answer is given again as it was, its fields in their order.
      response json,
      holder_beat_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      primary key (shop_id, key)
    );
    create index idempotency_keys_age on idempotency_keys (created_at); -- the daily sweep

    -- Counters of a minute: losing them in a crash costs nothing, so they are not written ahead.
    create unlogged table rate_limits (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table rate_limits, idempotency_keys, api_keys, shop_tokens, shops`)
}
