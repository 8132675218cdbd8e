// Gives new files to past buyers without a question, where the shop wants this: one operation for
// each product, once its files have been mapped for a while.
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import type { Engine } from '../../engine/engine.ts'
import { readShop } from '../../files/shop-settings.ts'
import { catalogChannel } from '../imports/origins.ts'
import { workflowOfAction } from '../operations/start.ts'
import { decidedFiles, forgetNewFiles, NEW_FILES_CHOICE } from './new-files.ts'

/** Files of one import, or of one pack, become one operation. */
const QUIET_SECONDS = 30

export interface NewFilesParts {
  database: Pick<Database, 'knex'>
  engine: Engine
}

export const newFilesTask = ({ database, engine }: NewFilesParts): BackgroundTask => ({
  name: 'give-new-files',
  concurrency: 1,
  // `never`: files that were noted under an earlier choice are forgotten.
  wanted: `select n.shop_id, n.shop_id::text as key,
      max(n.noted_at) + interval '${QUIET_SECONDS} seconds' as due_at
    from (select id, settings from shops s where uninstalled_at is null
      -- Shops that are asked about all of them have nothing to start, and keep the most.
      and (coalesce(settings ->> 'new_files', 'ask') <> 'ask'
        or exists (select from product_new_files c where c.shop_id = s.id)
        or exists (select from mappings c where c.shop_id = s.id and c.new_files is not null))) s
    join new_files n on n.shop_id = s.id
    where ${NEW_FILES_CHOICE} <> 'ask' group by n.shop_id`,
  run: async ({ shop, lease }) => {
    if (shop === null) return null
    await forShop(database, shop).transaction(async (tx) => {
      await lease.hold(tx)
      const { settings } = await readShop(tx)
      for (const { product, choice, files } of await decidedFiles(tx)) {
        if (choice === 'always')
          await engine.start(tx, {
            workflow: workflowOfAction(engine, 'give-files', {
              product_id: product,
              email: settings.new_files_mail,
            }),
            channel: catalogChannel.id,
            request: {},
            requestedBy: 'Stevedore',
            source: { type: 'files', ids: files },
          })
        await forgetNewFiles(tx, { files, product })
      }
    })
    return null
  },
})
