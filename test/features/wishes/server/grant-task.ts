import { z } from 'zod'
import { say } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { defineEvent, raiseEvent } from '../../core/outbox/webhook-events.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { grantWishes } from './wishes.ts'

export const wishGranted = defineEvent({
  name: 'wish.granted',
  title: say('A wish is granted'),
  about: 'A wish whose file was imported',
  data: z.object({ id: z.string(), filename: z.string() }),
})

export interface GrantParts {
  database: Database
}

export const GRANT = { name: 'grant-wishes' }

export const grantTask = ({ database }: GrantParts): BackgroundTask => ({
  ...GRANT,
  concurrency: 1,
  wanted: `select distinct shop_id, shop_id::text as key, now() as due_at from wishes
    where granted_at is null`,
  run: async ({ shop }) => {
    if (shop === null) return null
    await forShop(database, shop).transaction(async (tx) => {
      for (const { id, filename } of await grantWishes(tx)) {
        await raiseEvent(tx, wishGranted, { key: id, data: { id, filename } })
        await raiseNotice(tx, {
          level: 'success',
          operation_id: null,
          title: say('“{filename}” has arrived', { filename }),
          body: '',
        })
      }
    })
    return null
  },
})
