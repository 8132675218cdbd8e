// The state of an action's form: its options, their problems while they are typed, and the
// confirmation before they are sent.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { useMemo, useState } from 'react'
import { useStartOperation } from '../../operations/calls.ts'
import { type Entry } from '../../../shell/client/plugins.ts'
import { type Objection } from '../../../shell/client/workflows.ts'
import { isEmpty } from '../../plugins/option-form/alternatives.ts'
import { useDraftCheck } from '../../../shell/components/use-draft-check.ts'
import {
  isWithin,
  objectionsIn,
  type Problems,
  problemsOf,
} from '../../../shell/components/problems.ts'
import { checkForm, initialOptions, type Options, sentOptions } from './action-form.ts'
import { questionOf } from './action-texts.ts'
import { type ActionFiles } from '../selection.ts'
import type { Work } from './bulk-dialog.tsx'

/**
 * Options that the plugin refuses are reported while they are typed, by the same check as for
 * workflows.
 */
function useServerCheck(entry: Entry, options: Options, enabled: boolean): Objection[] {
  const { plugin } = entry
  const secret = Object.entries(plugin.options.properties ?? {}).flatMap(([name, one]) =>
    one.sensitive ? [name] : [],
  )
  const open = Object.fromEntries(
    Object.entries(options).filter(([name]) => !secret.includes(name)),
  )
  const body = {
    name: plugin.title,
    kind: 'bulk' as const,
    steps: [{ plugin: plugin.id, options: open }],
  }
  const { check, current } = useDraftCheck({ body }, enabled)
  const STEP = 'steps[0].'
  return current && enabled
    ? (check.data?.problems ?? [])
        .filter(({ param }) => isWithin(param, `${STEP}options`))
        .map(({ param, message }) => ({ param: param.slice(STEP.length), message }))
    : []
}

interface ActionForm {
  options: Options
  change: (options: Options) => void
  problems: Problems
  /** The problem of the form as a whole. */
  whole: string | undefined
  /** The question before the action runs with the present values. */
  confirming: { text: string; button: string } | null
  start: ReturnType<typeof useStartOperation>
  /** An error that no field shows. */
  error: Error | null
  work: () => Work | null
}

/** @param chosen the files: a question that concerns none of them is not asked. */
export function useActionForm(entry: Entry, chosen: ActionFiles): ActionForm {
  const start = useStartOperation()
  const [options, setOptions] = useState(() => initialOptions(entry))
  const [touched, setTouched] = useState<ReadonlySet<string> | 'all'>(new Set())
  const [asked, setAsked] = useState(false)
  const own = useMemo(() => checkForm(entry, options), [entry, options])
  const sent = sentOptions(entry, options)
  const served = useServerCheck(entry, sent, touched === 'all' || touched.size > 0)
  const refused = objectionsIn(start.error).filter(({ param }) => isWithin(param, 'options'))
  const seen = ({ param }: Objection) =>
    touched === 'all' ? true : [...touched].some((name) => isWithin(param, `options.${name}`))
  const problems = problemsOf(own.filter(seen), [...served.filter(seen), ...refused])
  const question = questionOf(entry, chosen, options)
  const change = (next: Options) => {
    const names = new Set([...Object.keys(next), ...Object.keys(options)])
    const changed = [...names].filter(
      (name) => JSON.stringify(ownValue(next, name)) !== JSON.stringify(ownValue(options, name)),
    )
    // An option that appears with a choice is checked after it was edited.
    const written = changed.filter(
      (name) => !isEmpty(ownValue(options, name)) || !isEmpty(ownValue(next, name)),
    )
    setOptions(next)
    setTouched((before) => (before === 'all' ? before : new Set([...before, ...written])))
    setAsked(false)
    if (start.error) start.reset()
  }
  const work = () => {
    setTouched('all')
    if (own.length > 0) return null
    if (question && !asked) {
      setAsked(true)
      return null
    }
    return { action: entry.plugin.id, options: sent }
  }
  return {
    options,
    change,
    problems,
    start,
    work,
    whole: problems.at('options'),
    confirming: asked ? question : null,
    error: refused.length > 0 ? null : start.error,
  }
}
