// Moves files to the trash, or out of it, as their rows in a table say. A separate step, because it needs the
// permission to delete.
import { z } from 'zod'
import { definePlugin, planEach, say } from '../contract/index.ts'

export const trashRows = definePlugin({
  id: 'trash-rows',
  kind: 'act',
  title: 'Delete and restore files by their rows',
  actions: [],
  options: z.strictObject({}),
  undo: 'fields',
  announces: ['file.deleted', 'mapping.changed'],
  worksOn: 'rows',
  permission: 'files:delete',
  summary: () => say('Moves files to the trash and restores files, as the rows say'),
  plan: planEach(({ wanted }) =>
    wanted?.deleted === undefined
      ? { status: 'ok' }
      : { status: 'ok', change: { deleted: wanted.deleted } },
  ),
})
