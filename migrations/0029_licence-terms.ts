// Licence keys that the shop's lists generate, that expire, are activated, and can be revoked.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table licence_lists
      -- The pattern of its keys (server/features/preparation/model/key-pattern.ts); null: the
      -- merchant adds the keys.
      add column generate jsonb,
      -- Days from the assignment, of keys that are assigned from now on; null: never.
      add column expiry_days integer check (expiry_days > 0),
      -- Of each key, also of those that are assigned; null: unlimited.
      add column activation_limit integer check (activation_limit > 0),
      add column revoke_on_refund boolean not null default false;
    alter table licence_keys
      add column expires_at timestamptz,
      add column revoked_at timestamptz,
      -- rotation: another key has replaced it, and it is shown to the merchant only.
      add column revoked_by text collate "C" check (revoked_by in ('merchant', 'refund', 'rotation')),
      -- The merchant restored it: refunds do not revoke it any more.
      add column restored_at timestamptz,
      add constraint licence_keys_revoked check ((revoked_at is null) = (revoked_by is null));
    drop index licence_keys_given;
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
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table licence_activations;
    delete from licence_keys where revoked_by = 'rotation';
    drop index licence_keys_hash, licence_keys_assigned, licence_keys_given;
    alter table licence_keys drop column expires_at, drop column revoked_at, drop column revoked_by,
      drop column restored_at;
    create unique index licence_keys_given
      on licence_keys (shop_id, delivery_id, list_id, line_id, file_id, ordinal)
      nulls not distinct where delivery_id is not null;
    alter table licence_lists drop column generate, drop column expiry_days,
      drop column activation_limit, drop column revoke_on_refund;
  `)
}
