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

/** The effects that an outcome asks for. */
export const effectsOf = (outcome: DoneOutcome): EffectName[] =>
  Object.entries(outcome).flatMap(([name, value]) =>
    isOwn.has(name) || value === undefined ? [] : (name as EffectName),
  )

/** Adds an outcome's effects to those of its item. */
export function collectEffects(effects: EffectValues, outcome: DoneOutcome): void {
  for (const name of effectsOf(outcome))
    ((effects as Record<string, unknown[]>)[name] ??= []).push(outcome[name])
}
