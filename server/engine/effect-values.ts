// What the steps of an item asked for, by effect.
import type { Outcome } from '../../plugins/contract.ts'

type DoneOutcome = Extract<Outcome, { status: 'ok' }>

/** Fields of an outcome that the engine itself applies to the item. Every other one is an effect. */
const OWN_FIELDS = [
  'item',
  'status',
  'change',
  'bytes',
  'warnings',
  'unchanged',
  'last',
] as const satisfies readonly (keyof DoneOutcome)[]
const isOwn: ReadonlySet<string> = new Set(OWN_FIELDS)

export type EffectName = Exclude<keyof DoneOutcome, (typeof OWN_FIELDS)[number]>

/** The values that an item's steps gave for each effect, in the order of the steps. */
export type EffectValues = { [Name in EffectName]?: NonNullable<DoneOutcome[Name]>[] }

export type EffectValue<Name extends EffectName> = NonNullable<DoneOutcome[Name]>

/** Adds an outcome's effects to those of its item. */
export function collectEffects(effects: EffectValues, outcome: DoneOutcome): void {
  for (const [name, value] of Object.entries(outcome))
    if (!isOwn.has(name) && value !== undefined)
      ((effects as Record<string, unknown[]>)[name] ??= []).push(value)
}
