// Why messages, webhooks and addresses failed, as texts with values beside their English sentences: the
// page writes them in its language.
import type { Knex } from 'knex'

export const undo =
  'The values in reasons of messages, webhooks and blocked addresses: their English sentences stay.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Null: the sentence has no values, or is of an earlier version.
    alter table outbox add error_text jsonb;
    alter table webhook_endpoints add last_error_text jsonb, add switched_off_text jsonb;
    alter table mail_blocks add reason_text jsonb;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mail_blocks drop reason_text;
    alter table webhook_endpoints drop last_error_text, drop switched_off_text;
    alter table outbox drop error_text;
  `)
}
