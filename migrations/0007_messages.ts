// Messages as the shop reads them: what each is about, why it failed, and that one may or may not have arrived.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table outbox
      add column operation_id uuid,
      -- The try that may write what became of it: a worker thought dead that still lives can't.
      add column lease bigint,
      add column taken_at timestamptz,
      -- Why the last try did not deliver it, in words for the shop.
      add column error text,
      add foreign key (shop_id, operation_id) references operations on delete cascade,
      drop constraint outbox_status_check,
      add constraint outbox_status_check check (status in ('waiting', 'sending', 'sent', 'failed', 'unknown'));
    create index outbox_operation on outbox (shop_id, operation_id); -- goes with its operation
    create index outbox_open on outbox (status) where status in ('waiting', 'sending'); -- the sweeps
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index outbox_open, outbox_operation;
    update outbox set status = 'failed' where status = 'unknown';
    alter table outbox drop constraint outbox_status_check,
      add constraint outbox_status_check check (status in ('waiting', 'sending', 'sent', 'failed')),
      drop column error, drop column taken_at, drop column lease, drop column operation_id;
  `)
}
