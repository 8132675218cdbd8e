// Applies a change to the draft of a file that is being imported, or of an existing one.
import type { FileChange, Mapping } from '../../plugins/contract/index.ts'
import type { Draft } from './drafts.ts'
import { normalizeTags } from './rules.ts'

export function applyToDraft(draft: Draft, change: FileChange): void {
  Object.assign(draft, change.set)
  if (change.tags) draft.tags = changedTags(draft.tags, change.tags)
  if (change.mappings) draft.mappings = changedMappings(draft.mappings, change.mappings)
  if (change.packs) changePacks(draft, change.packs)
  if (change.deleted !== undefined) draft.deleted = change.deleted
  if (change.purged) draft.purged = true
}

function changePacks(
  draft: Draft,
  { add = [], remove = [] }: NonNullable<FileChange['packs']>,
): void {
  const ids = add.flatMap((pack) => ('id' in pack ? [pack.id] : []))
  const names = add.flatMap((pack) => ('name' in pack ? [pack.name] : []))
  const stays = (id: string) => (remove === 'all' ? ids.includes(id) : !remove.includes(id))
  const kept = (draft.packs ?? []).filter(stays)
  draft.packs = [...kept, ...ids.filter((id) => !kept.includes(id))]
  const new_packs = [...(remove === 'all' ? [] : (draft.new_packs ?? [])), ...names]
  if (new_packs.length > 0) draft.new_packs = new_packs
  else delete draft.new_packs
}

function changedTags(tags: readonly string[], change: NonNullable<FileChange['tags']>): string[] {
  if ('replace' in change) return normalizeTags(change.replace)
  const removed = new Set(normalizeTags(change.remove ?? []))
  const kept = tags.filter((tag) => !removed.has(tag))
  return normalizeTags([...kept, ...(change.add ?? [])])
}

const sameTarget = (
  a: Pick<Mapping, 'product_id' | 'variant_id'>,
  b: Pick<Mapping, 'product_id' | 'variant_id'>,
) => a.product_id === b.product_id && a.variant_id === b.variant_id

function changedMappings(
  mappings: readonly Mapping[],
  change: NonNullable<FileChange['mappings']>,
): Mapping[] {
  const { remove = [], add = [] } = change
  const kept =
    remove === 'all' ? [] : mappings.filter((one) => !remove.some((gone) => sameTarget(one, gone)))
  return [...kept, ...add.filter((fresh) => !kept.some((one) => sameTarget(one, fresh)))]
}
