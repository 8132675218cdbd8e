// The difference between two states of a workflow, told in the sentences of its steps.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  CONDITION_NAMES,
  documentedConditionFields,
  english,
  ownValue,
  phrases,
  say,
  sizeText,
  textOf,
  verbatim,
  type AnyText,
  type Plugin,
  type Step,
  type Text,
} from '../../../plugins/contract/index.ts'
import { textSchema } from '../../http/schemas.ts'
import type { WorkflowBody } from './check.ts'
import { summaryFields } from './describe.ts'

export interface Difference {
  /** The place in the request: `steps[2]`. */
  param: string
  message: Text
}

export const differenceSchema = z
  .object({ param: z.string(), message: z.string(), message_text: textSchema })
  .meta({ id: 'Difference' })

export const differenceRecord = ({ param, message }: Difference) => ({
  param,
  message: english(message),
  message_text: message,
})

/** A request, and the same with names in place of ids, as people read it. */
export interface ToldWorkflow {
  body: WorkflowBody
  named: WorkflowBody
}

type Fields = Readonly<Record<string, unknown>>
const fieldsIn = (value: unknown): Fields => Object(value) as Fields

const FIELD_TITLES: ReadonlyMap<string, Text> = new Map([
  ['name', say('Name')],
  ['kind', say('Runs on')],
  ['parallel', say('Batches of files')],
  ['enabled', say('Switched on')],
  ['when', say('Condition')],
  ['which', say('Condition')],
  ['on_failure', say('If it fails')],
  ['branch', say('Branch')],
  ['tries', say('Tries')],
  ['pause', say('Seconds between two tries')],
  ['if_not', say('If not')],
])

const titleOf = (field: string): Text => FIELD_TITLES.get(field) ?? verbatim(field)
const NONE = say('none')

/** `{field}: {before} → {after}`, the same in every language. */
export const changeText = (field: AnyText, before: AnyText, after: AnyText): Text => ({
  message: '{field}: {before} → {after}',
  values: { field: textOf(field), before: textOf(before), after: textOf(after) },
})

const MAX_VALUE = 120

/** A value as a text: lists and objects as JSON. */
export function valueText(value: unknown): Text {
  if (value === undefined || value === null) return NONE
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return verbatim(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text)
}

/** Tells what differs; empty: nothing. `before`: null: it is new. */
export function workflowDifferences(
  before: ToldWorkflow | null,
  after: ToldWorkflow,
  plugins: readonly Plugin[],
): Difference[] {
  return [
    ...fieldDifferences(before?.named ?? null, after.named),
    ...triggerDifferences(before?.named.when ?? [], after.named.when ?? []),
    ...stepDifferences(before, after, plugins),
  ]
}

const LISTS = ['steps', 'when', 'channel']

/** A new workflow has only those that differ from the usual ones. */
function fieldDifferences(before: WorkflowBody | null, after: WorkflowBody): Difference[] {
  const usual = { kind: 'bulk', parallel: 1, enabled: true }
  const [was, is] = [fieldsIn(before ?? usual), fieldsIn(after)]
  const names = Object.keys({ ...is, ...was }).filter((name) => !LISTS.includes(name))
  return names.flatMap((name) => {
    const [from, to] = [ownValue(was, name), ownValue(is, name)]
    if (isDeepStrictEqual(from ?? null, to ?? null)) return []
    return [{ param: name, message: changeText(titleOf(name), valueText(from), valueText(to)) }]
  })
}

type Trigger = NonNullable<WorkflowBody['when']>[number]

function triggerDifferences(before: readonly Trigger[], after: readonly Trigger[]): Difference[] {
  const left = [...before]
  const pairs = pairedTriggers(before, after)
  const told = after.flatMap((trigger, at): Difference[] => {
    const param = `when[${at}]`
    const old = pairs[at] ?? null
    if (old === null)
      return [{ param, message: say('When, added: {trigger}', { trigger: triggerText(trigger) }) }]
    left.splice(left.indexOf(old), 1)
    const changes = triggerChanges(old, trigger)
    if (changes.length === 0) return []
    const values = { trigger: triggerText(trigger), changes: phrases(...changes) }
    return [{ param, message: say('When, changed: {trigger}: {changes}', values) }]
  })
  return [
    ...told,
    ...left.map((trigger) => ({
      param: 'when',
      message: say('When, removed: {trigger}', { trigger: triggerText(trigger) }),
    })),
  ]
}

const contentOf = ({ id: _, ...content }: Trigger) => content

/** For each trigger the earlier one that it is: with its id, equal, or of its kind. */
export function pairedTriggers<T extends Trigger>(
  before: readonly T[],
  after: readonly Trigger[],
): (T | null)[] {
  const pairs: (T | null)[] = after.map(() => null)
  const free = new Set(before)
  const pair = (fits: (old: T, trigger: Trigger) => boolean) =>
    after.forEach((trigger, at) => {
      const old = pairs[at] ? undefined : [...free].find((one) => fits(one, trigger))
      if (!old) return
      pairs[at] = old
      free.delete(old)
    })
  pair((old, { id }) => id !== undefined && old.id === id)
  pair((old, trigger) => isDeepStrictEqual(contentOf(old), contentOf(trigger)))
  const mainOf = ({ event, from }: Trigger) => ({ event, from })
  pair((old, one) => old.kind === one.kind && isDeepStrictEqual(mainOf(old), mainOf(one)))
  pair((old, trigger) => old.kind === trigger.kind)
  return pairs
}

function triggerChanges(before: Trigger, after: Trigger): Text[] {
  const [was, is] = [fieldsIn(contentOf(before)), fieldsIn(contentOf(after))]
  return Object.keys({ ...was, ...is }).flatMap((name) => {
    const [from, to] = [ownValue(was, name), ownValue(is, name)]
    if (isDeepStrictEqual(from ?? null, to ?? null)) return []
    const text = name === 'which' ? conditionText : valueText
    return [changeText(titleOf(name), text(from), text(to))]
  })
}

function triggerText({ kind, event, from }: Trigger): Text {
  if (kind === 'hook') return say('a program calls its address')
  if (kind === 'event') return verbatim(event ?? '')
  const source = Object.values(from ?? {}).join('/')
  return kind === 'imports' ? say('imports of {source}', { source }) : verbatim(kind)
}

/** `Type: pdf, Larger than: 1000000`; without one: all files. */
function conditionText(condition: unknown): Text {
  const given = fieldsIn(condition)
  const parts = [...CONDITION_NAMES, 'any' as const].flatMap((name): Text[] => {
    const value = ownValue(given, name)
    if (value === undefined) return []
    const title = documentedConditionFields[name].meta()?.title ?? name
    const shown = Array.isArray(value) && name !== 'any' ? value.join(', ') : value
    return [
      {
        message: '{title}: {shown}',
        values: { title: textOf(title), shown: shownValue(name, shown) },
      },
    ]
  })
  return parts.length === 0 ? say('all files') : phrases(...parts)
}

const shownValue = (name: string, value: unknown): Text =>
  ['larger_than', 'smaller_than'].includes(name) && typeof value === 'number'
    ? sizeText(value)
    : valueText(value)

type StepBody = WorkflowBody['steps'][number]

const asStep = ({ id = '', plugin, options = {} }: StepBody): Step => ({ id, plugin, options })
const stepText = (step: StepBody, plugins: readonly Plugin[]): Text =>
  summaryFields(asStep(step), plugins).summary_text

function stepDifferences(
  before: ToldWorkflow | null,
  after: ToldWorkflow,
  plugins: readonly Plugin[],
): Difference[] {
  const old = before?.body.steps ?? []
  const all = after.body.steps
  const placeBefore = (step: StepBody) => old.findIndex(({ id }) => id === step.id)
  const kept = all.filter((step) => placeBefore(step) >= 0)
  const stays = new Set(longestAscending(kept.map(placeBefore)))
  const told = all.flatMap((step, at): Difference[] => {
    const param = `steps[${at}]`
    const place = at + 1
    const was = placeBefore(step)
    const text = stepText(step, plugins)
    const earlier = old[was]
    if (!earlier)
      return [{ param, message: say('Step {place}, added: {step}', { place, step: text }) }]
    const named = [before?.named.steps[was] ?? earlier, after.named.steps[at] ?? step] as const
    return [
      ...(stays.has(was)
        ? []
        : [{ param, message: say('Step {place}, moved: {step}', { place, step: text }) }]),
      ...stepChanges([earlier, step], named, { param, place, plugins }),
    ]
  })
  const removed = old.flatMap((step) =>
    all.some(({ id }) => id === step.id)
      ? []
      : [
          {
            param: 'steps',
            message: say('Step removed: {step}', { step: stepText(step, plugins) }),
          },
        ],
  )
  return [...told, ...removed]
}

/** The numbers of a longest ascending part: the steps that did not move. */
function longestAscending(numbers: readonly number[]): number[] {
  const best: number[][] = []
  for (const number of numbers) {
    const before = best.filter((part) => (part.at(-1) ?? -1) < number)
    const longest = before.reduce<number[]>(
      (long, part) => (part.length > long.length ? part : long),
      [],
    )
    best.push([...longest, number])
  }
  return best.reduce((long, part) => (part.length > long.length ? part : long), [])
}

interface Place {
  param: string
  place: number
  plugins: readonly Plugin[]
}

/** What differs in a step: its sentence, or the options that it does not tell, and its conditions. */
function stepChanges(
  [before, after]: readonly [StepBody, StepBody],
  [named, namedAfter]: readonly [StepBody, StepBody],
  { param, place, plugins }: Place,
): Difference[] {
  const [was, is] = [stepText(before, plugins), stepText(after, plugins)]
  const isTold = english(was) !== english(is)
  const options = isTold ? [] : optionChanges(named, namedAfter, plugins)
  const others = Object.keys({ ...named, ...namedAfter }).flatMap((name): Text[] => {
    if (['id', 'plugin', 'options'].includes(name)) return []
    const [from, to] = [ownValue(fieldsIn(named), name), ownValue(fieldsIn(namedAfter), name)]
    if (isDeepStrictEqual(from ?? null, to ?? null)) return []
    const text = name === 'when' ? conditionText : valueText
    return [changeText(titleOf(name), text(from), text(to))]
  })
  const changes = [...options, ...others]
  return [
    ...(isTold
      ? [
          {
            param,
            message: say('Step {place}: {before} → {after}', { place, before: was, after: is }),
          },
        ]
      : []),
    ...(changes.length > 0
      ? [
          {
            param,
            message: say('Step {place}, {step}: {changes}', {
              place,
              step: is,
              changes: phrases(...changes),
            }),
          },
        ]
      : []),
  ]
}

function optionChanges(before: StepBody, after: StepBody, plugins: readonly Plugin[]): Text[] {
  const plugin = plugins.find(({ id }) => id === after.plugin)
  const [was, is] = [fieldsIn(before.options), fieldsIn(after.options)]
  return Object.keys({ ...was, ...is }).flatMap((name) => {
    const [from, to] = [ownValue(was, name), ownValue(is, name)]
    if (isDeepStrictEqual(from, to)) return []
    return [changeText(optionTitle(plugin, name), valueText(from), valueText(to))]
  })
}

function optionTitle(plugin: Plugin | undefined, name: string): AnyText {
  if (!plugin) return verbatim(name)
  const { properties = {} } = z.toJSONSchema(plugin.options, {
    io: 'input',
    unrepresentable: 'any',
  })
  const property = ownValue(properties, name)
  return typeof property === 'object' && property.title ? property.title : verbatim(name)
}
