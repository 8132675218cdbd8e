// Makes the change that came with each file: of a CSV row that names a file by its id.
import { z } from 'zod'
import { definePlugin, type Outcome } from '../contract.ts'

export const applyRow = definePlugin({
  id: 'apply-row',
  kind: 'act',
  title: 'Change files as their rows say',
  actions: [],
  options: z.strictObject({}),
  undo: 'fields',
  worksOn: 'rows',
  ordered: true,
  summary: () => 'Changes each file as its row says',
  async *plan(items, _options, { signal }): AsyncGenerator<Outcome> {
    for (const item of items) {
      signal.throwIfAborted()
      if (item.wanted)
        yield await Promise.resolve({ item: item.id, status: 'ok' as const, change: item.wanted })
      else yield { item: item.id, status: 'skipped', reason: 'No row says what to change about it' }
    }
  },
})
