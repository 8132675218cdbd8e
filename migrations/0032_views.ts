// Whether buyers may read or play a file in the browser. Existing files stay downloads: a view
// counts no download, so it would give more than a download limit allowed.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table files add column view text not null default 'download'
      check (view in ('download', 'both', 'view_only'))
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table files drop column view')
}
