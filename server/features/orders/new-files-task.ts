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
    from new_files n join shops s on s.id = n.shop_id and s.uninstalled_at is null
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
              ...{ product_id: product, email: settings.new_files_mail },
            }),
            ...{ channel: catalogChannel.id, request: {}, requestedBy: 'Stevedore' },
            source: { type: 'files', ids: files },
          })
        await forgetNewFiles(tx, { files, product })
      }
    })
    return null
  },
})
