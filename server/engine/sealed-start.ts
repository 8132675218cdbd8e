// Starts operations and adds items to them with their secrets sealed: neither the query of an
// address nor a secret option is stored in plain text.
import type { Plugin, Workflow } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { SealPlace } from '../core/kept-address.ts'
import { present } from '../core/present.ts'
import type { EngineParts } from './parts.ts'
import type { StoredWorkflow } from './types.ts'
import { readShop } from '../files/shop-settings.ts'
import { takesSettings, withPreceding, withSettings } from './steps.ts'
import { addEntries, type GrowingChange, type GrowingEntry } from './grow.ts'
import { sealEntries, sealRequest } from './sealed.ts'
import { sealOptions } from './sealed-options.ts'
import type { OperationSource } from './freeze.ts'
import { startOperation, type StartInput } from './start.ts'

type GrowingItem = GrowingEntry | GrowingChange

/** Starts the operation, with the steps that other steps need before them. Returns its UUID. */
export async function startSealed(
  { plugins, secrets, limits }: Pick<EngineParts, 'plugins' | 'secrets' | 'limits'>,
  scope: ShopScope,
  input: StartInput,
): Promise<string> {
  const place = { shop: scope.shop, secrets }
  const workflow = await storedWorkflow({ plugins, secrets }, scope, input.workflow)
  const request = sealRequest(input.request, place)
  const source = await sealSource(input.source, place)
  return startOperation(scope, { ...input, workflow, request, source }, plugins, limits)
}

/**
 * The workflow as an operation keeps it: with the settings that the shop has now, with the steps
 * that other steps need before them, and with secret options sealed.
 */
export async function storedWorkflow(
  { plugins, secrets }: Pick<EngineParts, 'plugins' | 'secrets'>,
  scope: ShopScope,
  workflow: Workflow,
): Promise<StoredWorkflow> {
  const fixed = withPreceding(await fixedWorkflow(scope, workflow, plugins), plugins)
  return sealOptions(fixed, plugins, { shop: scope.shop, secrets })
}

async function fixedWorkflow(
  scope: ShopScope,
  workflow: Workflow,
  plugins: readonly Plugin[],
): Promise<StoredWorkflow> {
  if (!takesSettings(workflow, plugins)) return workflow
  const { settings } = await readShop(scope)
  return withSettings(workflow, plugins, settings)
}

const sealSource = async (source: OperationSource, place: SealPlace): Promise<OperationSource> =>
  source.type === 'entries'
    ? { ...source, entries: await sealEntries(source.entries, place) }
    : source

/** Adds items to an open operation. Returns the first position, or null as `addEntries` does. */
export async function addSealed(
  { secrets }: Pick<EngineParts, 'secrets'>,
  tx: ShopScope,
  id: string,
  growing: readonly GrowingItem[],
): Promise<number | null> {
  return addEntries(tx, id, await sealGrowing(growing, { shop: tx.shop, secrets }))
}

/** Seals the items that are entries: only these have addresses. */
async function sealGrowing(
  growing: readonly GrowingItem[],
  place: SealPlace,
): Promise<GrowingItem[]> {
  const entries = growing.filter((each) => 'entry' in each)
  const sealed = (await sealEntries(entries, place)).values()
  return growing.map((each) =>
    'entry' in each ? present(sealed.next().value, 'a sealed entry') : each,
  )
}
