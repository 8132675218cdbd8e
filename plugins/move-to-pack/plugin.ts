// Moves files into a pack, after its files, or out of their packs. Their products follow: the old
// pack's are removed, the new one's are added, and a file's own products stay. Files already in the
// pack are updated.
import { z } from 'zod'
import {
  definePlugin,
  type Item,
  moveToPackChange,
  type Outcome,
  type Pack,
  packName,
  type Packs,
  say,
  sayPlain,
  uuidOf,
} from '../contract/index.ts'

const options = z
  .strictObject({
    pack: z
      .string()
      .regex(/^pack_[0-9a-f]{32}$/, sayPlain('This is not the id of a pack'))
      .optional()
      .meta({ title: 'Pack', widget: 'pack' }),
    new_pack: packName.optional().meta({
      title: 'Name of the pack',
      missing: 'Give the pack a name',
      help: 'Its name. If a pack of this name exists, the files are moved into it.',
    }),
    out: z.literal(true).optional().meta({ title: 'Out of their packs' }),
  })
  .refine((given) => Object.values(given).filter((one) => one !== undefined).length === 1, {
    message: sayPlain('Choose a pack, name a new one, or remove the files from their packs'),
  })
  .meta({ minProperties: 1 })
type Options = z.output<typeof options>

export const moveToPack = definePlugin({
  id: 'move-to-pack',
  kind: 'act',
  title: 'Move to pack',
  actions: [
    {
      group: 'organize',
      labels: {
        action: 'Move to pack',
        menu: 'Move to a pack',
        title: 'Move {count, plural, one {# file} other {# files}} to a pack',
        button: '{out, select, true {Remove from packs} other {Move files}}',
        running: 'Moving {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} moved',
        result: 'moved',
        note: '{out, select, true {They lose the products of their pack, and keep all others.} other {They get the pack’s products, and lose those of their previous pack. A file is in one pack at a time.}}',
      },
    },
  ],
  form: {
    alternatives: [
      {
        title: 'Where to',
        choices: [
          { label: 'An existing pack', fields: ['pack'] },
          { label: 'A new pack', fields: ['new_pack'] },
          { label: 'Out of their packs', fields: [], set: { out: true } },
        ],
      },
    ],
  },
  options,
  undo: 'fields',
  announces: ['mapping.changed'],
  needs: ['packs'],
  // Batches one after another keep the order of the selection.
  sequential: true,
  worksOn: 'files',
  summary: ({ new_pack, out }) => {
    if (out) return say('Removes files from their packs')
    return new_pack === undefined
      ? say('Moves files into a pack')
      : say('Moves files into the pack {name}', { name: new_pack.slice(0, 170) })
  },
  async *plan(items, given, { packs, signal }) {
    signal.throwIfAborted()
    const target = items.length > 0 ? await findTarget(packs, given) : null
    for (const item of items) {
      signal.throwIfAborted()
      yield target === 'gone' ? notFound(item) : outcomeOf(item, target, given)
    }
  },
})

/**
 * The pack into which files move. Null: it does not exist yet, or files leave their packs. `gone`:
 * it was deleted.
 */
async function findTarget(
  packs: Packs,
  { pack, new_pack }: Options,
): Promise<Pack | null | 'gone'> {
  if (pack !== undefined) return (await packs.find({ id: uuidOf(pack) })) ?? 'gone'
  return new_pack === undefined ? null : packs.find({ name: new_pack })
}

const notFound = ({ id }: Item): Outcome => ({
  item: id,
  status: 'failed',
  code: 'pack_not_found',
  message: sayPlain('This pack no longer exists'),
  retryable: false,
})

function outcomeOf({ id, file }: Item, target: Pack | null, { new_pack }: Options): Outcome {
  const change = moveToPackChange(file, target, new_pack)
  if (change) return { item: id, status: 'ok', change }
  return {
    item: id,
    status: 'skipped',
    reason: target ? sayPlain('It is in this pack already') : sayPlain('It is in no pack'),
  }
}
