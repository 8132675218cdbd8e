// What every download writes, written with fewer indexes.
import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A session opened anew changes its row in place where no index holds its end: the hourly sweep reads the small table through.
    drop index download_sessions_age;
    -- Rows come in the order of their time: a range of it is a range of pages.
    drop index downloads_age;
    create index downloads_age on downloads using brin (at) with (autosummarize = on); -- the sweep
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index downloads_age;
    create index downloads_age on downloads (at);
    create index download_sessions_age on download_sessions (expires_at);
  `)
}
