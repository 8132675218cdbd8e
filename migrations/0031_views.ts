// Whether buyers may read or play a file in the browser, and small pictures for the merchant's
// lists. Existing files stay downloads: a view
// counts no download, so it would give more than a download limit allowed.
import type { Knex } from 'knex'
import { expand, migrateInSteps, validateRows } from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo =
  'Which files buyers may only view: they can be downloaded then. Small pictures are made again.'

const VIEWS = `
    alter table files add column view text not null default 'download',
      add constraint files_view_check check (view in ('download', 'both', 'view_only')) not valid;

    -- Small pictures of the bytes of images, for lists. Removed with the bytes.
    create table preview_images (
      shop_id integer not null,
      hash bytea not null,
      -- WebP. Null: the image cannot be opened.
      image bytea,
      primary key (shop_id, hash),
      foreign key (shop_id, hash) references blobs on delete cascade
    )
`

/** @param progress is called with the steps that are done, of all */
export const up = (
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> =>
  migrateInSteps(knex, progress, [expand('files.view', VIEWS), validateRows('files')])

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table preview_images; alter table files drop column view')
}
