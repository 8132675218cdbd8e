// Addresses in an operation's rows: sealed when it starts, opened for a batch's plugins, and dropped
// when no request needs them any more.
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Entry,
  ownValue,
  type Plugin,
  type Step,
  type Workflow,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { keepAddress, type SealPlace } from '../core/client-address.ts'
import { keepTarget, wholeTarget } from '../core/fetch-headers.ts'
import type { Draft } from '../files/drafts.ts'
import type { Secrets } from '../core/secrets.ts'
import { sensitiveOptions } from '../core/sensitive.ts'
import type { OperationRequest, WorkItem, StoredStep, StoredWorkflow } from './types.ts'
import { withoutPreceding } from './steps.ts'

/** How many addresses are sealed before other requests run: sealing one takes about 10 µs. */
const SEALED_PER_TURN = 500

interface StartedEntry {
  entry: Entry
  draft: Draft
}

/** The entries as rows keep them, with the secrets of their addresses and their headers sealed. */
export async function sealEntries<T extends StartedEntry>(
  entries: readonly T[],
  place: SealPlace,
): Promise<T[]> {
  const sealed: T[] = []
  for (const one of entries) {
    const { entry } = one
    const source =
      entry.source.type === 'url'
        ? { type: entry.source.type, ...keepTarget(entry.source, place) }
        : entry.source
    sealed.push({ ...one, entry: { ...entry, source } })
    if (sealed.length % SEALED_PER_TURN === 0) await nextTurn()
  }
  return sealed
}

/** Gives claimed items their whole addresses, for the plugins of this batch. */
export function openEntries(items: readonly WorkItem[], place: SealPlace): void {
  for (const item of items) {
    if (item.entry?.source.type !== 'url') continue
    const target = wholeTarget(item.entry.source, place)
    item.entry = { ...item.entry, source: { type: 'url', ...target } }
  }
}

/** The request as the operation's row keeps it, with the secrets of its callback sealed. */
export function sealRequest(request: OperationRequest, place: SealPlace): OperationRequest {
  if (request.callback_url === undefined) return request
  const { url, sealed } = keepAddress(request.callback_url, place)
  return { ...request, callback_url: url, ...(sealed ? { callback_sealed: sealed } : {}) }
}

/** SQL: whether an item's address has a sealed part. */
export const SECRET_PART = `entry #> '{source,sealed}' is not null`
/** SQL: removes that part. */
export const FORGET_ENTRY = `entry = entry #- '{source,sealed}'`

/**
 * When an operation has ended, drops what was sealed for its items. Items that failed or never
 * began keep it, because they can be retried: the sweep (retention.ts) drops it when the undo
 * window is over.
 */
export async function forgetAddresses(scope: ShopScope, operation: string): Promise<void> {
  await scope.query(
    `update items set ${FORGET_ENTRY}
     where shop_id = :shop and operation_id = :operation and status in ('done', 'skipped')
       and ${SECRET_PART}`,
    { operation },
  )
}

// Secret options: sealed in the operation's row, and opened when a step runs.

interface Place {
  /** The shop's internal number: a value sealed for another shop does not open. */
  shop: number
  secrets: Secrets
}

/** What secret options are sealed for. */
export const optionsPlace = (shop: number): string => `${shop}/operations.workflow`

/** The workflow as it is stored, with secret options sealed. */
export const sealOptions = (
  workflow: StoredWorkflow,
  plugins: readonly Plugin[],
  { shop, secrets }: Place,
): StoredWorkflow => {
  const { steps, after } = workflow
  const sealed = <S extends Step>(step: S): S =>
    mapSensitive(step, plugins, (value) => ({
      sealed: secrets.seal(JSON.stringify(value), optionsPlace(shop)).toString('base64'),
    }))
  return {
    ...workflow,
    steps: steps.map(sealed),
    ...(after ? { after: { ...after, steps: after.steps.map(sealed) } } : {}),
  }
}

/** A step's options as they were given. Throws if they were sealed with another secret. */
export const openOptions = (
  step: Step,
  plugin: Plugin,
  { shop, secrets }: Place,
): Record<string, unknown> =>
  mapSensitive(step, [plugin], (value) => {
    const { sealed } = value as { sealed: string }
    return JSON.parse(secrets.open(Buffer.from(sealed, 'base64'), optionsPlace(shop)))
  }).options ?? {}

/**
 * The workflow as it was given: without the steps and the settings that were added at the start, and
 * with secret options opened.
 */
export const givenWorkflow = (
  { earlier: _, after, ...stored }: StoredWorkflow,
  plugins: readonly Plugin[],
  place: Place,
): Workflow => ({
  ...stored,
  steps: [...withoutPreceding(stored, plugins).steps, ...(after?.steps ?? [])].map(
    ({ given, ...step }: StoredStep): Step => {
      const plugin = plugins.find(({ id }) => id === step.plugin)
      if (!plugin || !step.options) return step
      const options = openOptions(step, plugin, place)
      if (!given) return { ...step, options }
      const names = sensitiveOptions(plugin)
      const secret = Object.entries(options).filter(([name]) => names.includes(name))
      return { ...step, options: { ...given, ...Object.fromEntries(secret) } }
    },
  ),
})

function mapSensitive<S extends Step>(
  step: S,
  plugins: readonly Plugin[],
  map: (value: unknown) => unknown,
): S {
  const plugin = plugins.find(({ id }) => id === step.plugin)
  const { options } = step
  if (!plugin || !options) return step
  const names = sensitiveOptions(plugin).filter((name) => ownValue(options, name) !== undefined)
  if (names.length === 0) return step
  const mapped = Object.fromEntries(names.map((name) => [name, map(ownValue(options, name))]))
  return { ...step, options: { ...options, ...mapped } }
}
