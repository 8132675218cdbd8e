// Adds files to a pack, moves them into it out of their other packs, or takes them out. Their
// products follow: a file gets those of the packs that it enters, loses those that none of its packs
// gives, and keeps its own.
import { z } from 'zod'
import {
  definePlugin,
  type EnteredPack,
  type Item,
  type Outcome,
  type PackShelf,
  packName,
  type Packs,
  packsChange,
  packsToRead,
  say,
  sayPlain,
  uuidOf,
} from '../contract/index.ts'

const MODES = ['add', 'move', 'remove', 'clear'] as const

const options = z
  .strictObject({
    mode: z.enum(MODES).default('add').meta({ title: 'How' }),
    pack: z
      .string()
      .regex(/^pack_[0-9a-f]{32}$/, sayPlain('This is not the id of a pack'))
      .optional()
      .meta({ title: 'Pack', widget: 'pack' }),
    new_pack: packName.optional().meta({
      title: 'Name of the pack',
      missing: 'Give the pack a name',
      help: 'Its name. If a pack of this name exists, it is used.',
    }),
  })
  .refine(({ mode, pack, new_pack }) => isComplete(mode, [pack, new_pack]), {
    message: sayPlain(
      'Choose a pack, or name a new one; to remove files from all packs, name none',
    ),
  })
  .refine(({ mode, new_pack }) => mode !== 'remove' || new_pack === undefined, {
    path: ['new_pack'],
    message: 'Choose the pack that they leave by its id',
  })
  .meta({ minProperties: 1 })
type Options = z.output<typeof options>

const isComplete = (mode: (typeof MODES)[number], named: readonly unknown[]): boolean =>
  named.filter((one) => one !== undefined).length === (mode === 'clear' ? 0 : 1)

export const moveToPack = definePlugin({
  id: 'move-to-pack',
  kind: 'act',
  title: 'Change packs',
  actions: [
    {
      group: 'organize',
      labels: {
        action: 'Change packs',
        menu: 'Change packs',
        title: 'Packs of {count, plural, one {# file} other {# files}}',
        button:
          '{mode, select, move {Move files} remove {Remove from the pack} clear {Remove from all packs} other {Add files}}',
        running: 'Changing the packs of {count, plural, one {# file} other {# files}}',
        done: 'Packs of {count, plural, one {# file} other {# files}} changed',
        result: 'changed',
        note: '{mode, select, add {They get the pack’s products, and stay in their other packs.} move {They get the pack’s products, and lose those of the packs that they leave.} other {They lose the products that they have only through a pack that they leave.}}',
      },
    },
  ],
  form: {
    alternatives: [
      {
        title: 'What to do',
        choices: [
          { label: 'Add to a pack', fields: ['pack'], set: { mode: 'add' } },
          { label: 'Add to a new pack', fields: ['new_pack'], set: { mode: 'add' } },
          {
            label: 'Move to a pack',
            help: 'They leave all their other packs.',
            fields: ['pack'],
            set: { mode: 'move' },
          },
          {
            label: 'Move to a new pack',
            help: 'They leave all their other packs.',
            fields: ['new_pack'],
            set: { mode: 'move' },
          },
          { label: 'Remove from a pack', fields: ['pack'], set: { mode: 'remove' } },
          { label: 'Remove from all packs', fields: [], set: { mode: 'clear' } },
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
  summary: ({ mode, new_pack }) => {
    const values = { name: (new_pack ?? '').slice(0, 170) }
    if (mode === 'clear') return say('Removes files from all packs')
    if (mode === 'remove') return say('Removes files from a pack')
    if (mode === 'move')
      return new_pack === undefined
        ? say('Moves files into a pack, out of all others')
        : say('Moves files into the pack {name}, out of all others', values)
    return new_pack === undefined
      ? say('Adds files to a pack')
      : say('Adds files to the pack {name}', values)
  },
  async *plan(items, given, { packs, signal }) {
    signal.throwIfAborted()
    if (items.length === 0) return
    const target = await findTarget(packs, given)
    const shelf = await packs.read({ ids: packsToRead(items.map(({ file }) => file)) })
    for (const item of items) {
      signal.throwIfAborted()
      yield target === 'gone' ? notFound(item) : outcomeOf(item, target, given.mode, shelf)
    }
  },
})

/** The pack that files enter or leave; null: all. `gone`: it was deleted. */
async function findTarget(
  packs: Packs,
  { pack, new_pack }: Options,
): Promise<EnteredPack | null | 'gone'> {
  if (pack !== undefined) return (await packs.find({ id: uuidOf(pack) })) ?? 'gone'
  if (new_pack === undefined) return null
  return (await packs.find({ name: new_pack })) ?? { name: new_pack }
}

const notFound = ({ id }: Item): Outcome => ({
  item: id,
  status: 'failed',
  code: 'pack_not_found',
  message: sayPlain('This pack no longer exists'),
  retryable: false,
})

function outcomeOf(
  { id, file }: Item,
  target: EnteredPack | null,
  mode: Options['mode'],
  shelf: PackShelf,
): Outcome {
  const leave = target !== null && 'id' in target ? [target.id] : []
  const wanted =
    target === null || mode === 'remove'
      ? { enter: [], leave: target === null ? ('all' as const) : leave }
      : { enter: [target], leave: mode === 'move' ? ('all' as const) : [] }
  const leaves = wanted.enter.length === 0
  const reason = target === null ? IN_NONE : leaves ? NOT_THERE : IS_THERE
  // A file that is not in the pack keeps what it has.
  if (leaves && target !== null && !file.packs.some((one) => leave.includes(one)))
    return { item: id, status: 'skipped', reason }
  const change = packsChange(file, wanted, shelf)
  return change ? { item: id, status: 'ok', change } : { item: id, status: 'skipped', reason }
}

const IN_NONE = sayPlain('It is in no pack')
const NOT_THERE = sayPlain('It is not in this pack')
const IS_THERE = sayPlain('It is in this pack already')
