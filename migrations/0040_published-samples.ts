// Which samples the platform knows: they are written to metafields of the app's installation, which the
// block of the theme reads.
import type { Knex } from 'knex'

export const undo =
  'What the platform knows of the samples. They are written again when the app is updated again.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table published_samples (
      shop_id integer primary key references shops on delete cascade,
      -- The platform's id of the installation: another one has no metafields yet.
      installation text not null,
      -- Of everything that is published.
      digest text not null,
      -- The digest of each metafield, by its key.
      fields jsonb not null default '{}',
      checked_at timestamptz not null default now()
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table published_samples')
}
