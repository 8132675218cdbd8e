// Applies each file's own change: that of a CSV row that names the file by its id.
import { z } from 'zod'
import { definePlugin, planEach, say, sayPlain } from '../contract/index.ts'

export const applyRow = definePlugin({
  id: 'apply-row',
  kind: 'act',
  title: 'Change files by their rows',
  actions: [],
  options: z.strictObject({}),
  undo: 'fields',
  worksOn: 'rows',
  ordered: true,
  summary: () => say('Changes each file by its row'),
  plan: planEach(({ wanted }) => {
    if (!wanted) return { status: 'skipped', reason: sayPlain('No row changes it') }
    // Other steps look its products up, and move it to the trash.
    const { set, tags } = wanted
    return { status: 'ok', change: { ...(set ? { set } : {}), ...(tags ? { tags } : {}) } }
  }),
})
