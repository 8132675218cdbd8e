// The versions that entries are compared with before their bytes are fetched, and after: bytes that
// were the source of a version need no steps again.
import { createHash } from 'node:crypto'
import type { ItemPlugin } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { replacesBytes } from '../files/admission.ts'
import { findKnownVersions } from '../files/present-bytes.ts'
import type { ResolvedStep, WorkItem } from './types.ts'

/** Reads what is known of the files that entries would give bytes to. */
export async function loadKnown(
  scope: ShopScope,
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
): Promise<void> {
  const entries = items.flatMap((item) => (item.entry ? [{ item, entry: item.entry }] : []))
  const given = fingerprintOf(steps)
  if (entries.length === 0 || given === null) return
  // A pack may have its own watermark.
  for (const { item } of entries) item.byte_steps = hashOf([given, item.draft?.new_pack ?? null])
  const onto = entries.filter(({ entry: { on_conflict, replaces } }) =>
    replacesBytes({ onConflict: on_conflict, replaces }),
  )
  const known = await findKnownVersions(
    scope,
    onto.map(({ entry: { filename, replaces } }) => ({ filename, replaces })),
  )
  for (const [at, { item }] of onto.entries()) {
    const version = known.get(at)
    if (version && version.source.steps === item.byte_steps) item.known = version
  }
}

/**
 * What the bytes of a file depend on in addition to those that were fetched. Null: that differs from
 * file to file.
 */
function fingerprintOf(steps: readonly ResolvedStep<ItemPlugin>[]): string | null {
  const working = steps.filter(({ pluginImpl }) => pluginImpl.bytes && pluginImpl.kind !== 'fetch')
  if (working.some(({ when }) => when)) return null
  return hashOf(working.map(({ plugin, parsedOptions }) => [plugin, parsedOptions]))
}

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex')
