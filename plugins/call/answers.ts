// What a program's answers mean for the files: the products and packs that they name are looked up.
import {
  type Decision,
  type FileChange,
  type FileView,
  type Item,
  type Mapping,
  type EnteredPack,
  packsChange,
  packsToRead,
  type NamedPack,
  type NamedTarget,
  PortError,
  type ProgramAnswer,
  type ProgramChange,
  type ReadContext,
  say,
  uuidOf,
  wholeProductId,
} from '../contract/index.ts'
import { productFinder, type FindProduct } from './products.ts'

type Context = ReadContext<'catalog' | 'packs'>

/** The code of warnings that the program itself gives. */
const PROGRAM_WARNING = 'program_warning'

/**
 * Looks up what these answers name.
 * @returns the function that decides about a file by its answer
 */
export async function decider(
  answers: readonly ProgramAnswer[],
  context: Context,
): Promise<(item: Item, answer: ProgramAnswer) => Promise<Decision>> {
  const find = await productFinder(answers.flatMap(namedIn), context)
  return async (item, answer) => {
    if (answer.status === 'failed' || answer.status === 'skipped') return answer
    const warned = warningsOf(answer)
    if (answer.status === 'unchanged') return { status: 'ok', unchanged: answer.reason, ...warned }
    try {
      const change = await changeOf(item.file, answer.change, find, context)
      return { status: 'ok', change, ...warned }
    } catch (error) {
      if (!(error instanceof PortError)) throw error
      const { code, texts, retryable } = error
      return { status: 'failed', code, ...texts, retryable }
    }
  }
}

const namedIn = (answer: ProgramAnswer): readonly NamedTarget[] => {
  const { add = [], remove = [] } = (answer.status === 'change' && answer.change.products) || {}
  return remove === 'all' ? add : [...add, ...remove]
}

const warningsOf = ({ warnings }: { warnings: readonly string[] }) =>
  warnings.length > 0
    ? { warnings: warnings.map((message) => ({ code: PROGRAM_WARNING, message })) }
    : {}

async function changeOf(
  file: FileView,
  { set, tags, products, packs: named }: ProgramChange,
  find: FindProduct,
  { packs }: Context,
): Promise<FileChange> {
  const mapped = products ? { mappings: mappingsChange(file, products, find) } : {}
  const moved = named === undefined ? {} : await movedBy(file, named, packs)
  return {
    ...(set ? { set } : {}),
    ...(tags ? { tags } : {}),
    ...moved,
    ...bothMappings(mapped, moved),
  }
}

type MappingsChange = NonNullable<FileChange['mappings']>

function mappingsChange(
  { mappings }: FileView,
  { add = [], remove = [] }: NonNullable<ProgramChange['products']>,
  find: FindProduct,
): MappingsChange {
  const removed =
    remove === 'all'
      ? mappings
      : mappings.filter((one) => remove.some((target) => isNamed(one, target, find)))
  return { remove: removed.map(targetOf), add: add.map(find) }
}

/** A product that the catalog does not have any more can be removed by its id. */
function isNamed(mapping: Mapping, target: NamedTarget, find: FindProduct): boolean {
  if ('sku' in target) return mapping.sku === target.sku
  if ('handle' in target) return mapping.product_id === find(target).product_id
  const { id, variant_id } = target
  return (
    mapping.product_id === wholeProductId(id) &&
    (variant_id === undefined || mapping.variant_id === variant_id)
  )
}

const targetOf = ({ product_id, variant_id }: Mapping) => ({ product_id, variant_id })

/** The file enters and leaves packs, and its mappings follow. */
async function movedBy(
  file: FileView,
  { add = [], remove = [] }: NonNullable<ProgramChange['packs']>,
  packs: Context['packs'],
): Promise<FileChange> {
  const named = [...add, ...(remove === 'all' ? [] : remove)]
  const shelf = await packs.read({
    ids: [
      ...named.flatMap((pack) => ('id' in pack ? [uuidOf(pack.id)] : [])),
      ...packsToRead([file]),
    ],
    names: named.flatMap((pack) => ('name' in pack ? [pack.name] : [])),
  })
  const found = (pack: NamedPack) =>
    'id' in pack ? shelf.get(uuidOf(pack.id)) : shelf.named(pack.name)
  for (const pack of named)
    if ('id' in pack && !found(pack))
      throw new PortError('pack_not_found', say('There is no pack {id}', { id: pack.id }), false)
  const enter = add.map((pack): EnteredPack => found(pack) ?? (pack as { name: string }))
  const leave = remove === 'all' ? remove : remove.flatMap((pack) => found(pack)?.id ?? [])
  return packsChange(file, { enter, leave }, shelf) ?? {}
}

/** What the program asks for, and what follows from the packs. */
function bothMappings(...changes: readonly FileChange[]): Pick<FileChange, 'mappings'> {
  const all = changes.flatMap(({ mappings }) => mappings ?? [])
  if (all.length === 0) return {}
  const removed = all.flatMap(({ remove = [] }) => (remove === 'all' ? [] : remove))
  return { mappings: { remove: removed, add: all.flatMap(({ add = [] }) => add) } }
}
