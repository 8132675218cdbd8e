// Secret options: sealed in the operation's row, and opened when a step runs.
import { ownValue } from '../../plugins/contract.ts'
import type { Plugin, Step, Workflow } from '../../plugins/contract.ts'
import type { Secrets } from '../core/secrets.ts'
import { sensitiveOptions } from '../core/sensitive.ts'
import { withoutPreceding } from './steps.ts'
import type { StoredStep, StoredWorkflow } from './types.ts'

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
): StoredWorkflow => ({
  ...workflow,
  steps: workflow.steps.map((step) =>
    mapSensitive(step, plugins, (value) => ({
      sealed: secrets.seal(JSON.stringify(value), optionsPlace(shop)).toString('base64'),
    })),
  ),
})

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
  { earlier: _, ...stored }: StoredWorkflow,
  plugins: readonly Plugin[],
  place: Place,
): Workflow => ({
  ...stored,
  steps: withoutPreceding(stored, plugins).steps.map(({ given, ...step }: StoredStep): Step => {
    const plugin = plugins.find(({ id }) => id === step.plugin)
    if (!plugin || !step.options) return step
    const options = openOptions(step, plugin, place)
    if (!given) return { ...step, options }
    const names = sensitiveOptions(plugin)
    const secret = Object.entries(options).filter(([name]) => names.includes(name))
    return { ...step, options: { ...given, ...Object.fromEntries(secret) } }
  }),
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
