// Keeps one of several files with equal bytes: it gets the products and the packs of the others,
// which move to the trash. Buyers keep the links to the kept file; links to the others stop, as
// after a deletion.
import { z } from 'zod'
import {
  type ContentFile,
  definePlugin,
  FILES,
  type FileChange,
  type Item,
  type Mapping,
  type Outcome,
  say,
  sayFixed,
  sayPlain,
  uuidOf,
  type Warning,
} from '../contract/index.ts'

const MAX_GROUPS = 1000
const fileId = z.string().regex(/^file_[0-9a-f]{32}$/, sayPlain('This is not the id of a file'))

const options = z.strictObject({
  groups: z
    .array(
      z.strictObject({
        keep: fileId.meta({ title: 'The file that is kept' }),
        others: z
          .array(fileId)
          .min(1, sayPlain('At least one other file'))
          .meta({ title: 'The files that move to the trash' }),
      }),
    )
    .min(1, sayPlain('At least one group'))
    .max(MAX_GROUPS, sayFixed('At most {count} groups', { count: MAX_GROUPS }))
    .refine(
      (groups) => {
        const ids = groups.flatMap(({ keep, others }) => [keep, ...others])
        return new Set(ids).size === ids.length
      },
      { message: sayPlain('Each file can be in one group only') },
    )
    .meta({ title: 'Groups of files with the same content' }),
})

/** A group, with bare UUIDs. */
interface Group {
  keep: string
  others: readonly string[]
}

export const mergeDuplicates = definePlugin({
  id: 'merge-duplicates',
  kind: 'act',
  title: 'Merge files with the same content',
  actions: [
    {
      group: 'organize',
      labels: {
        action: 'Merge files with the same content',
        menu: 'Merge files with the same content',
        title: 'Merge {count, plural, one {# file} other {# files}} with the same content',
        button: 'Merge files',
        running: `Merging ${FILES}`,
        done: `${FILES} merged`,
        result: 'merged',
        preview:
          '{count, plural, one {# file would be changed or moved to the trash} other {# files would be changed or moved to the trash}}',
      },
      // The page of files with the same content starts it: groups are no form.
      fits: { places: [] },
      previewRequired: 'always',
      destructive: true,
    },
  ],
  report: { background: 'delete', next: 'Files in the trash can be restored for 7 days.' },
  options,
  undo: 'fields',
  announces: ['file.deleted', 'mapping.changed'],
  needs: ['contents'],
  // A kept file gets its products before the others are in the trash.
  sequential: true,
  worksOn: 'files',
  permission: 'files:delete',
  summary: () => say('Keeps one of several files with the same content, with the products of all'),
  async *plan(items, given, { contents, signal }) {
    const groups = groupsOf(given.groups)
    const wanted = new Set(items.flatMap(({ file }) => groups.get(file.id ?? '') ?? []))
    const read = await contents.read([...wanted].flatMap(({ keep, others }) => [keep, ...others]))
    for (const item of items) {
      signal.throwIfAborted()
      const group = groups.get(item.file.id ?? '')
      const kept = group && read.get(group.keep)
      if (!group) yield skipped(item, sayPlain('It is in none of the groups'))
      else if (!kept || kept.deleted)
        yield skipped(item, sayPlain('The file that should be kept was deleted'))
      else if (item.file.id === group.keep) {
        const others = group.others.flatMap((id) => read.get(id) ?? [])
        const same = others.filter(({ content }) => content === kept.content)
        yield keptOutcome(item, kept, same)
      } else yield otherOutcome(item, kept, read.get(item.file.id ?? ''))
    }
  },
})

function groupsOf(
  given: readonly { keep: string; others: readonly string[] }[],
): Map<string, Group> {
  const groups = new Map<string, Group>()
  for (const { keep, others } of given) {
    const group = { keep: uuidOf(keep), others: others.map(uuidOf) }
    for (const id of [group.keep, ...group.others]) groups.set(id, group)
  }
  return groups
}

const skipped = ({ id }: Item, reason: ReturnType<typeof sayPlain>): Outcome => ({
  item: id,
  status: 'skipped',
  reason,
})

/** The kept file gets what the others have. */
function keptOutcome({ id }: Item, kept: ContentFile, others: readonly ContentFile[]): Outcome {
  const packs = new Set(others.flatMap((other) => other.packs))
  const entered = [...packs].filter((pack) => !kept.packs.includes(pack))
  const add = addedMappings(kept, others)
  const change: FileChange = {
    ...(add.length > 0 ? { mappings: { add } } : {}),
    ...(entered.length > 0 ? { packs: { add: entered.map((pack) => ({ id: pack })) } } : {}),
  }
  if (Object.keys(change).length > 0) return { item: id, status: 'ok', change }
  const unchanged = sayPlain('It has the products and packs of the others')
  return { item: id, status: 'ok', unchanged }
}

/** The products of the others that the kept file does not have, each once. */
function addedMappings(kept: ContentFile, others: readonly ContentFile[]): Mapping[] {
  const targets = new Set(kept.mappings.map(targetOf))
  const added: Mapping[] = []
  for (const mapping of others.flatMap(({ mappings }) => mappings)) {
    if (targets.has(targetOf(mapping))) continue
    targets.add(targetOf(mapping))
    added.push(mapping)
  }
  return added
}

const targetOf = ({ product_id, variant_id }: Mapping) => `${product_id} ${variant_id ?? ''}`

function otherOutcome(item: Item, kept: ContentFile, other: ContentFile | undefined): Outcome {
  if (other?.content !== kept.content)
    return skipped(item, sayPlain('Its content is no longer the same'))
  const { buyers } = other
  const warnings: Warning[] =
    buyers === 0
      ? []
      : [
          {
            code: 'buyers_lose_links',
            message: say(
              '{buyers, plural, one {# buyer has a link to it, which stops} other {# buyers have links to it, which stop}} until it is restored: the links to the file that is kept go on working',
              { buyers },
            ),
          },
        ]
  return { item: item.id, status: 'ok', change: { deleted: true }, warnings }
}
