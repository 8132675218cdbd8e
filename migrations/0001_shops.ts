// Shops, their platform tokens, API keys, request limits and plans, the keys of the server, and the
// leases of background work. Every other table refers to a shop.
import { firstSchema } from '../server/core/db/migration-steps.ts'

const SCHEMA = `
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
    profile_due_at timestamptz not null default '-infinity',
    -- Generated, because delivery reads it for every link.
    keep_paid boolean not null generated always as
      ((settings -> 'paid_deliveries_survive') is distinct from 'false'::jsonb) stored
  );

  -- Sealed: AES-256-GCM, a data key per row, bound to shop and column (server/core/secrets.ts).
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
    -- SHA-256 is enough for a key with 256 random bits, and a look-up is one index probe. Null: the key
    -- of another shop acts here.
    hash bytea unique,
    -- The first characters, so that a person can tell keys apart.
    hint text not null,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    -- The owners of other shops name the key by this code to let it act there; null: in its shop alone.
    agency_code text collate "C" unique,
    -- The key of another shop that may act here with these scopes, and the domain of that shop. No foreign
    -- key, because that row is in another shop: without it nobody can use this one.
    granted_to uuid,
    granted_shop text,
    primary key (shop_id, id),
    check ((hash is null) = (granted_to is not null)),
    check ((granted_to is null) = (granted_shop is null)),
    check (hash is not null or agency_code is null)
  );
  create unique index api_keys_granted on api_keys (granted_to, shop_id)
    where granted_to is not null and revoked_at is null; -- every request of an agency's key

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

  -- The plan that a shop pays for, where the operator has plans. Without them the table stays
  -- empty, and nothing is limited by it.
  create table shop_plans (
    shop_id integer primary key references shops on delete cascade,
    -- Its id in app.config.ts; null: the shop has none, and may add nothing.
    plan text,
    title text not null,
    -- As they were when it was read: {files, storage_bytes, monthly_downloads}, null: no limit.
    limits jsonb not null,
    features text[] not null,
    -- The platform's subscription: until when its trial runs, and whether it ends with its cycle.
    trial_ends_at timestamptz,
    ends boolean not null default false,
    read_at timestamptz not null default now()
  );

  -- Background work is jobs of the worker, each run under a lease of this table.
  create table background_tasks (
    task text not null,
    -- What the run is about: an upload, a shop; empty for the tasks of the whole installation.
    key text not null,
    shop_id integer references shops on delete cascade,
    -- Raised with every run: writes that name an older lease are refused.
    lease bigint not null,
    -- Null: no worker runs it. The worker's own heartbeat (workers.beat_at) keeps the lease alive.
    worker_id uuid,
    -- Runs since the last one that ended.
    attempts smallint not null default 0,
    primary key (task, key)
  );
  create index background_tasks_worker on background_tasks (worker_id)
    where worker_id is not null; -- the sweep
  create index background_tasks_shop on background_tasks (shop_id)
    where shop_id is not null; -- shops that go

  -- The last hour whose shops a sweep has taken.
  create table sweep_turns (
    sweep text primary key,
    hour timestamptz not null
  );

  create table server_keys (
    name text collate "C" primary key,
    -- With APP_SECRET (server/core/secrets.ts).
    sealed bytea not null,
    created_at timestamptz not null default now()
  );

  -- Who changed the shop's configuration, and what differs after it.
  create table change_log (
    shop_id integer not null references shops on delete cascade,
    id uuid not null default uuidv7(),
    created_at timestamptz not null default now(),
    -- The person's or key's name then.
    actor text not null,
    -- The API key; null: a person in the admin page. The key's row may be gone.
    api_key_id uuid,
    kind text not null,
    verb text collate "C" not null check (verb in ('created', 'changed', 'deleted')),
    -- The public id of what was changed; null: the shop has one of its kind.
    subject text collate "C",
    name text,
    -- The fields that differ; null: there was no record before, or is none after.
    before jsonb,
    after jsonb,
    -- Fields that no answer shows, such as passwords: they were replaced.
    secrets text[] not null default '{}',
    primary key (shop_id, id)
  );
  create index change_log_age on change_log (created_at); -- the sweep
`

export const { up, down } = firstSchema(SCHEMA)
