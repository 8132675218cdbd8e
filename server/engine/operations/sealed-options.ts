// Secret options: sealed in the operation's row, and opened when a step runs.
import { ownValue } from '../../../plugins/contract.ts'
import type { Plugin, Step, Workflow } from '../../../plugins/contract.ts'
import type { Secrets } from '../../core/secrets.ts'
import { sensitiveOptions } from '../../core/sensitive.ts'

interface Place {
  /** The shop's internal number: a value sealed for another shop does not open. */
  shop: number
  secrets: Secrets
}

/** What secret options are sealed for. */
export const optionsPlace = (shop: number): string => `${shop}/operations.workflow`
const isSealed = (value: unknown): value is { sealed: string } =>
  typeof value === 'object' &&
  value !== null &&
  'sealed' in value &&
  typeof value.sealed === 'string'

/** The workflow as it is stored, with secret options sealed. */
export const sealOptions = (
  workflow: Workflow,
  plugins: readonly Plugin[],
  { shop, secrets }: Place,
): Workflow => ({
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
  mapSensitive(step, [plugin], (value) =>
    isSealed(value)
      ? JSON.parse(secrets.open(Buffer.from(value.sealed, 'base64'), optionsPlace(shop)))
      : value,
  ).options ?? {}

function mapSensitive(
  step: Step,
  plugins: readonly Plugin[],
  map: (value: unknown) => unknown,
): Step {
  const plugin = plugins.find(({ id }) => id === step.plugin)
  const { options } = step
  if (!plugin || !options) return step
  const names = sensitiveOptions(plugin).filter((name) => ownValue(options, name) !== undefined)
  if (names.length === 0) return step
  const mapped = Object.fromEntries(names.map((name) => [name, map(ownValue(options, name))]))
  return { ...step, options: { ...options, ...mapped } }
}
