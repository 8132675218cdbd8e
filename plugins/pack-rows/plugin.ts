// Puts files into packs, and takes them out, as their rows in a table say. A file that is in the packs
// that its row names keeps its products and its places.
import { z } from 'zod'
import {
  definePlugin,
  type Item,
  namesIn,
  type Outcome,
  type PackShelf,
  packsChange,
  packsToRead,
  say,
  wantedPacks,
} from '../contract/index.ts'

export const packRows = definePlugin({
  id: 'pack-rows',
  kind: 'act',
  title: 'Change the packs of files by their rows',
  actions: [],
  options: z.strictObject({}),
  undo: 'fields',
  announces: ['mapping.changed'],
  needs: ['packs'],
  worksOn: 'rows',
  summary: () => say('Puts files into packs and takes them out, as the rows say'),
  async *plan(items, _, { packs, signal }) {
    signal.throwIfAborted()
    const rows = items.filter(({ wanted }) => wanted?.packs !== undefined)
    const shelf = await packs.read({
      ids: packsToRead(rows.map(({ file }) => file)),
      names: [
        ...new Set(rows.flatMap(({ wanted }) => (wanted?.packs ? namesIn(wanted.packs) : []))),
      ],
    })
    for (const item of items) {
      signal.throwIfAborted()
      yield outcomeOf(item, shelf)
    }
  },
})

function outcomeOf({ id, file, wanted }: Item, shelf: PackShelf): Outcome {
  const change = wanted?.packs && packsChange(file, wantedPacks(wanted.packs, shelf), shelf)
  // Only a change of packs changes products.
  return { item: id, status: 'ok', ...(change?.packs ? { change } : {}) }
}
