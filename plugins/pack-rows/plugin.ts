// Moves files into packs, or out of their packs, as their rows in a table say. A file that is in the pack
// that its row names keeps its products and its place.
import { z } from 'zod'
import {
  definePlugin,
  type Item,
  moveToPackChange,
  type Outcome,
  type Pack,
  say,
} from '../contract/index.ts'

export const packRows = definePlugin({
  id: 'pack-rows',
  kind: 'act',
  title: 'Move files to packs by their rows',
  actions: [],
  options: z.strictObject({}),
  undo: 'fields',
  announces: ['mapping.changed'],
  needs: ['packs'],
  worksOn: 'rows',
  summary: () => say('Moves files into packs and out of them, as the rows say'),
  async *plan(items, _, { packs, signal }) {
    const found = new Map<string, Pack | null>()
    for (const item of items) {
      signal.throwIfAborted()
      const pack = item.wanted?.pack ?? null
      if (pack && !found.has(keyOf(pack))) found.set(keyOf(pack), await packs.find(pack))
      yield outcomeOf(item, pack && (found.get(keyOf(pack)) ?? null))
    }
  },
})

const keyOf = (pack: { id: string } | { name: string }): string =>
  'id' in pack ? pack.id : pack.name

function outcomeOf({ id, file, wanted }: Item, target: Pack | null): Outcome {
  const pack = wanted?.pack
  const isThere = target !== null && file.pack_id === target.id
  if (pack === undefined || isThere) return { item: id, status: 'ok' }
  const name = pack !== null && 'name' in pack ? pack.name : undefined
  const change = moveToPackChange(file, target, name)
  return { item: id, status: 'ok', ...(change ? { change } : {}) }
}
