// Channels are configuration: a workflow may be attached to any that this installation has.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table workflows drop constraint workflows_channel_check')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update workflows set channel = null where channel not in ('api', 'csv', 'upload', 'drop', 'cloud');
    alter table workflows
      add constraint workflows_channel_check check (channel in ('api', 'csv', 'upload', 'drop', 'cloud'));
  `)
}
