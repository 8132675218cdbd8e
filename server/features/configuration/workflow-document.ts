// A workflow as a document: when, which, do, if not. What the request of a workflow has beyond what is
// written here in another way is in the document as it is, so that a new field needs nothing here.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { ownValue, say, type Text } from '../../../plugins/contract/index.ts'
import { unwrapped } from '../workflows/body.ts'
import type { WorkflowBody } from '../workflows/check.ts'
import { pairedTriggers } from '../workflows/difference.ts'
import { isStepList } from '../workflows/names.ts'
import type { WorkflowProblem } from '../workflows/problems.ts'
import { workflowBody } from '../workflows/record.ts'
import { triggerBody } from '../workflows/triggers.ts'
import { isFields, type Comment, type FieldValues } from './document-text.ts'
import { documentContent } from './kind.ts'

type Trigger = NonNullable<WorkflowBody['when']>[number]
type StepBody = WorkflowBody['steps'][number]

const stepSchema = (unwrapped(workflowBody.shape.steps) as z.ZodArray).element as z.ZodObject
const TRIGGER_KINDS: readonly string[] = triggerBody.shape.kind.options

/** What a step, a trigger and a workflow have if their documents do not say otherwise. */
const USUAL_STEP = stepSchema.parse({ plugin: '' }) as FieldValues
const usualTrigger = (kind: unknown): FieldValues =>
  (triggerBody.safeParse({ kind }).data ?? {}) as FieldValues
const USUAL: FieldValues = {
  ...(workflowBody.parse({ name: '', kind: 'bulk', steps: [] }) as FieldValues),
  kind: 'bulk',
  if_not: null,
}

/** The fields whose values are not the usual ones. */
const unusual = (fields: FieldValues, usual: FieldValues): [string, unknown][] =>
  Object.entries(fields).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, ownValue(usual, name)),
  )

// Sizes and durations as people write them, with the units of the page.

const SIZES = [
  ['TB', 1024 ** 4],
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['KB', 1024],
] as const
const DURATIONS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const
type Units = readonly (readonly [string, number])[]

/** Writes a number with the greatest unit that divides it. */
export function withUnit(value: unknown, units: Units): unknown {
  if (typeof value !== 'number' || value <= 0) return value
  const [unit, factor] = units.find(([, each]) => value % each === 0) ?? []
  return unit === undefined || factor === undefined ? value : `${value / factor}${unit}`
}

/** The number of a text like `1.5 MB`; any other value is left to the schema. */
export function measured(value: unknown, units: Units): unknown {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(String(value)) ?? []
  const [, factor] = units.find(([name]) => name.toLowerCase() === unit.toLowerCase()) ?? []
  return typeof value !== 'string' || factor === undefined
    ? value
    : Math.round(Number(number) * factor)
}

const SIZE_FIELDS = ['larger_than', 'smaller_than']
type Convert = (value: unknown, units: Units) => unknown

/** A condition with its sizes converted, also in `any`. */
export function mapSizes(condition: unknown, convert: Convert): unknown {
  if (!isFields(condition)) return condition
  return Object.fromEntries(
    Object.entries(condition).map(([name, value]) => {
      if (name === 'any' && Array.isArray(value))
        return [name, value.map((part) => mapSizes(part, convert))]
      return [name, SIZE_FIELDS.includes(name) ? convert(value, SIZES) : value]
    }),
  )
}

// Out.

/** The document of a workflow’s request, which has names in place of ids. */
export function documentOfWorkflow({
  name,
  channel: _,
  when = [],
  steps,
  ...others
}: WorkflowBody): FieldValues {
  const shared = sharedCondition(when)
  const rest = unusual(others, USUAL)
  const before = ['kind', 'parallel', 'enabled']
  return {
    stevedore: 'workflow/1',
    name,
    ...Object.fromEntries(rest.filter(([field]) => before.includes(field))),
    ...(when.length > 0 ? { when: when.map((trigger) => writtenTrigger(trigger, shared)) } : {}),
    ...(shared ? { which: mapSizes(shared, withUnit) } : {}),
    do: writtenSteps(steps),
    ...Object.fromEntries(rest.filter(([field]) => !before.includes(field))),
  }
}

const isOfImports = ({ kind }: Pick<Trigger, 'kind'>) => kind === 'imports'

/** The condition of all triggers that have one; null: they have several, or none. */
function sharedCondition(when: readonly Trigger[]): FieldValues | null {
  const [first, ...others] = when.filter((trigger) => !isOfImports(trigger))
  const isShared =
    first &&
    Object.keys(first.which).length > 0 &&
    others.every(({ which }) => isDeepStrictEqual(which, first.which))
  return isShared ? (first.which as FieldValues) : null
}

const withoutId = ({ id: _, ...trigger }: Trigger) => trigger

function writtenTrigger(trigger: Trigger, shared: FieldValues | null): FieldValues {
  const { kind, ...fields } = withoutId(trigger)
  const main = mainField(kind)
  const value = main === null ? {} : (ownValue(fields as FieldValues, main) ?? {})
  const rest = unusual(fields as FieldValues, usualTrigger(kind)).flatMap(([name, one]) => {
    if (name === main || (name === 'which' && shared && !isOfImports(trigger))) return []
    if (name === 'which') return [[name, mapSizes(one, withUnit)]]
    return [
      name === 'quiet_seconds'
        ? ['quiet', withUnit(one, DURATIONS)]
        : [name, durationOut(name, one)],
    ]
  })
  return { [kind]: value, ...Object.fromEntries(rest) }
}

const durationOut = (name: string, value: unknown) =>
  name === 'collect' ? withUnit(value, DURATIONS) : value

/** The field that says what starts a workflow, and is written after the kind of trigger. */
const mainField = (kind: string): 'event' | 'from' | null =>
  kind === 'event' ? 'event' : kind === 'imports' ? 'from' : null

function writtenSteps(steps: readonly StepBody[]): FieldValues[] {
  const explicit = explicitIds(steps)
  return steps.map((step) => writtenStep(step, explicit))
}

function writtenStep(step: StepBody, explicit: ReadonlySet<unknown>): FieldValues {
  const { id, plugin, options = {}, when, ...others } = step
  const rest = unusual(others as FieldValues, USUAL_STEP).map(([name, value]) => [
    name,
    isStepList(value)
      ? value.map((one) => writtenStep(one as unknown as StepBody, new Set([one.id])))
      : value,
  ])
  return {
    [plugin]: options,
    ...(id !== undefined && explicit.has(id) ? { id } : {}),
    ...(when && Object.keys(when).length > 0 ? { only: mapSizes(when, withUnit) } : {}),
    ...Object.fromEntries(rest),
  }
}

/** The ids that steps would not get if their documents did not name them. */
function explicitIds(steps: readonly StepBody[]): Set<string> {
  const explicit = new Set<string>()
  for (;;) {
    const taken = new Set(explicit)
    const wrong = steps.find(({ id, plugin }) => {
      if (id === undefined || explicit.has(id)) return false
      let usual = plugin
      for (let n = 2; taken.has(usual); n++) usual = `${plugin}-${n}`
      taken.add(usual)
      return usual !== id
    })
    if (wrong?.id === undefined) return explicit
    explicit.add(wrong.id)
  }
}

/** What the document does not have: the addresses of hooks. */
export const workflowComments = ({ when = [] }: Pick<WorkflowBody, 'when'>): Comment[] =>
  when.flatMap(({ kind }, at) =>
    kind === 'hook'
      ? [
          {
            path: ['when', at, 'hook'],
            text: 'its secret address is not in this file: create it on the page of the workflow',
          },
        ]
      : [],
  )

// In.

export interface WorkflowOfDocument {
  /** The request, with names where the document has names. */
  body: FieldValues
  problems: WorkflowProblem[]
  /** The place in the document of a place in the request. */
  placeOf: (param: string) => string
}

/** Reads the request of a document; its values are not checked. */
export function workflowOfDocument(document: FieldValues): WorkflowOfDocument {
  const problems: WorkflowProblem[] = []
  const add = (param: string, message: Text) => void problems.push({ param, message })
  const { when, which, do: steps, steps: asApi, ...others } = documentContent(document)
  if (asApi !== undefined) add('steps', say('Write the steps under “do”'))
  const triggers = readList(when, 'when', add).map((one, at) =>
    readTrigger(one, `when[${at}]`, { which, add }),
  )
  const takesWhich = triggers.some(({ kind }) => kind !== 'imports')
  if (which !== undefined && !takesWhich)
    add('which', say('This applies to files of events and hooks, and there is none under “when”'))
  const body: FieldValues = {
    kind: 'bulk',
    // A document is the whole workflow: what it does not say is not there.
    if_not: null,
    ...others,
    when: triggers,
    steps: readList(steps, 'do', add).map((one, at) => readStep(one, `do[${at}]`, add)),
  }
  return { body, problems, placeOf: placesIn(body, which !== undefined) }
}

/** The request of a document that was written from one, with what its triggers usually have. */
export const completed = (body: FieldValues): WorkflowBody =>
  ({
    ...USUAL,
    ...body,
    when: (body.when as readonly FieldValues[]).map((trigger) => ({
      ...usualTrigger(trigger.kind),
      ...trigger,
    })),
  }) as unknown as WorkflowBody

type Add = (param: string, message: Text) => void

function readList(value: unknown, param: string, add: Add): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  add(param, say('This is a list: begin each entry with -'))
  return []
}

interface TriggerContext {
  /** The condition of the whole document. */
  which: unknown
  add: Add
}

function readTrigger(given: unknown, at: string, { which, add }: TriggerContext): FieldValues {
  const fields: FieldValues =
    typeof given === 'string' ? { [given]: {} } : isFields(given) ? given : {}
  const kinds = TRIGGER_KINDS.filter((kind) => Object.hasOwn(fields, kind))
  const [kind = ''] = kinds
  if (kinds.length !== 1) {
    const list = TRIGGER_KINDS.join(', ')
    add(at, say('An entry is one of these: {list}', { list }))
    return {}
  }
  const { [kind]: value, which: own, quiet, ...others } = fields
  const main = mainField(kind)
  const isEmpty = value === null || value === true || isDeepStrictEqual(value, {})
  if (main === null && !isEmpty) add(`${at}.${kind}`, say('This takes no value'))
  if (own !== undefined && which !== undefined && kind !== 'imports')
    add(`${at}.which`, say('Write “which” once: here, or for the whole workflow'))
  const condition = kind === 'imports' ? own : (own ?? which)
  const filter = mapSizes(condition ?? {}, measured)
  return {
    kind,
    ...others,
    ...(main === null ? {} : { [main]: value }),
    ...(kind === 'event' ? sourceAsCondition(others.from, filter, at, add) : { which: filter }),
    ...(others.collect === undefined ? {} : { collect: measured(others.collect, DURATIONS) }),
    ...(quiet === undefined ? {} : { quiet_seconds: measured(quiet, DURATIONS) }),
  }
}

/** `from` of an event: the files that came from there, which is a condition on them. */
function sourceAsCondition(from: unknown, filter: unknown, at: string, add: Add): FieldValues {
  if (from === undefined || from === null) return { which: filter }
  const source = isFields(from) ? from : { '': from }
  const condition = isFields(filter) ? filter : {}
  const [[name, value] = ['', undefined], ...others] = Object.entries(source)
  const isCondition = ['drop_account', 'connection', 'channel'].includes(name)
  if (!isCondition || others.length > 0 || Object.hasOwn(condition, name))
    add(
      `${at}.from`,
      say('Of an event this is one drop_account, one connection or one channel, once'),
    )
  return {
    from: null,
    which: { ...condition, [name]: name === 'channel' ? [value].flat() : value },
  }
}

const OWN_STEP_FIELDS = Object.keys(stepSchema.shape).filter(
  (name) => !['plugin', 'options', 'when'].includes(name),
)

function readStep(given: unknown, at: string, add: Add): FieldValues {
  const fields: FieldValues =
    typeof given === 'string' ? { [given]: {} } : isFields(given) ? given : {}
  const known = [...OWN_STEP_FIELDS, 'only']
  const plugins = Object.keys(fields).filter((name) => !known.includes(name))
  const [plugin = ''] = plugins
  if (plugins.length !== 1) {
    add(
      at,
      plugins.length === 0
        ? say('An entry is a step with its options, like “- tag-files:”')
        : say('An entry is one step: {list}', { list: plugins.join(', ') }),
    )
    return { plugin: '' }
  }
  const { [plugin]: options, only, ...others } = fields
  const rest = Object.entries(others).map(([name, value]) => {
    const isNested = Array.isArray(value) && isStepsField(name)
    return [
      name,
      isNested
        ? value.map((one: unknown, index) => readStep(one, `${at}.${name}[${index}]`, add))
        : value,
    ]
  })
  return {
    plugin,
    options: options ?? {},
    ...(only === undefined || only === null ? {} : { when: mapSizes(only, measured) }),
    ...Object.fromEntries(rest),
  }
}

/** Is this field of a step a list of steps? */
function isStepsField(name: string): boolean {
  const schema = ownValue(stepSchema.shape as Record<string, z.ZodType>, name)
  const list = schema && unwrapped(schema)
  const element = list instanceof z.ZodArray ? unwrapped(list.element as z.ZodType) : null
  return element instanceof z.ZodObject && Object.hasOwn(element.shape, 'plugin')
}

/** The places of a document by those of its request. */
function placesIn(body: FieldValues, hasWhich: boolean): (param: string) => string {
  const steps = body.steps as readonly FieldValues[]
  const triggers = body.when as readonly FieldValues[]
  const stepPlace = (param: string, list: readonly FieldValues[]): string => {
    const [, at = '', rest = ''] = /^\[(\d+)\](.*)$/s.exec(param) ?? []
    const step = list[Number(at)]
    const plugin = String(step?.plugin)
    const nested = /^\.(\w+)(\[.*)$/s.exec(rest)
    const inner = nested?.[1] === undefined ? undefined : ownValue(step ?? {}, nested[1])
    if (nested && isStepList(inner))
      return `[${at}].${nested[1]}${stepPlace(nested[2] ?? '', inner)}`
    const place = rest
      .replace(/^\.options\b/, `.${plugin}`)
      .replace(/^\.plugin\b/, `.${plugin}`)
      .replace(/^\.when\b/, '.only')
    return `[${at}]${place}`
  }
  return (param) => {
    if (param.startsWith('steps[')) return `do${stepPlace(param.slice(5), steps)}`
    if (param === 'steps') return 'do'
    const [, at, rest = ''] = /^when\[(\d+)\](.*)$/s.exec(param) ?? []
    if (at === undefined) return param
    const kind = String(triggers[Number(at)]?.kind)
    if (rest.startsWith('.which') && hasWhich && kind !== 'imports') return rest.slice(1)
    const place = rest
      .replace(/^\.kind\b/, `.${kind}`)
      .replace(/^\.from\b/, kind === 'imports' ? '.imports' : '.from')
      .replace(/^\.quiet_seconds\b/, '.quiet')
    return `when[${at}]${place}`
  }
}

/**
 * The request with the ids of the steps and triggers that the workflow has already, so that they stay
 * what they are: history and hooks refer to them.
 */
export function withKnownIds(body: WorkflowBody, before: WorkflowBody | null): WorkflowBody {
  if (!before) return body
  const pairs = pairedTriggers(before.when ?? [], body.when ?? [])
  return {
    ...body,
    when: (body.when ?? []).map((trigger, at) => {
      const id = pairs[at]?.id
      return id === undefined ? trigger : { ...trigger, id }
    }),
    steps: stepsWithIds(body.steps, before.steps),
  }
}

function stepsWithIds(
  steps: readonly StepBody[],
  before: readonly StepBody[],
): readonly StepBody[] {
  const free = new Set(before.filter(({ id }) => !steps.some((step) => step.id === id)))
  const ids = new Map<StepBody, string>()
  const pair = (fits: (old: StepBody, step: StepBody) => boolean) => {
    for (const step of steps) {
      if (step.id !== undefined || ids.has(step)) continue
      const old = [...free].find((one) => fits(one, step))
      if (old?.id === undefined) continue
      ids.set(step, old.id)
      free.delete(old)
    }
  }
  const documentContent = ({ id: _, ...content }: StepBody) => content
  pair((old, step) => isDeepStrictEqual(documentContent(old), documentContent(step)))
  pair(({ plugin, options }, step) =>
    isDeepStrictEqual([plugin, options], [step.plugin, step.options]),
  )
  pair((old, step) => old.plugin === step.plugin)
  return steps.map((step) => {
    const id = step.id ?? ids.get(step)
    return id === undefined ? step : { ...step, id }
  })
}
