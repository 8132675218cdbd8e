// A dialog's form: its values, the problems found while typing, and the options to send. A field's
// problem is shown once the field was changed, and all of them after an attempt to send.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { useState } from 'react'
import { ApiError } from '../../../shell/client/error.ts'
import { useStartOperation } from '../../operations/calls.ts'

/** A message for each field; `form`: about the form as a whole. */
export type Errors = Record<string, string>
export type FormReading = { options: Record<string, unknown> } | { errors: Errors }

interface Rules<Form> {
  initial: Form | (() => Form)
  read: (form: Form) => FormReading
  /** The field for each option of the server, if their names differ. */
  fields?: Record<string, string>
  /** The call that sends the form, if it does not start an operation. */
  sent?: { error: Error | null; reset: () => void }
}

export function useForm<Form extends object>({ initial, read, fields = {}, sent }: Rules<Form>) {
  const start = useStartOperation()
  const { error, reset } = sent ?? start
  const [form, setForm] = useState(initial)
  const [seen, setSeen] = useState<ReadonlySet<string> | 'all'>(new Set())
  const reading = read(form)
  const own = 'errors' in reading ? reading.errors : {}
  const known = new Set([...Object.keys(form), ...Object.values(fields)])
  const refusal = error ? problemsByField(error, fields, known) : { errors: {}, other: null }
  const shown = Object.entries(own).filter(([field]) => seen === 'all' || seen.has(field))
  const options = 'options' in reading ? reading.options : null
  const attempt = () => {
    setSeen('all')
    return options
  }
  return {
    form,
    change: (part: Partial<Form>) => {
      setForm((before) => ({ ...before, ...part }))
      setSeen((before) => (before === 'all' ? before : new Set([...before, ...Object.keys(part)])))
      if (error) reset()
    },
    errors: { ...refusal.errors, ...Object.fromEntries(shown) } as Errors,
    /** The present options; null: the form has problems. */
    options,
    /** Reads the form as `read` does, and shows every problem from now on. */
    attempt,
    /** A refusal that no field shows. */
    error: refusal.other,
    /** The props that a dialog about an action needs. */
    bulk: (action: string) => ({
      start,
      error: refusal.other,
      work: () => {
        const given = attempt()
        return given && { action, options: given }
      },
    }),
  }
}

/** The server's problems by field; `other`: the remaining error. */
export function problemsByField(
  error: Error,
  fields: Record<string, string>,
  known: ReadonlySet<string>,
): { errors: Errors; other: Error | null } {
  if (!(error instanceof ApiError) || error.details.length === 0)
    return { errors: {}, other: error }
  const errors = new Map<string, string>()
  const unplaced: string[] = []
  for (const { param, message } of error.details) {
    const name = param.replace(/^options\./, '').replace(/[.[].*$/, '')
    const field = ownValue(fields, name) ?? name
    if (!known.has(field)) unplaced.push(message)
    else if (!errors.has(field)) errors.set(field, message)
  }
  const { code, status, requestId } = error
  const other = () =>
    new ApiError(code, [...new Set(unplaced)].join('. '), { status, requestId, cause: error })
  return {
    errors: Object.fromEntries(errors),
    other: unplaced.length > 0 ? other() : null,
  }
}

/** The typed text as a whole number between two bounds, or null. */
export function wholeNumber(text: string, least: number, most: number): number | null {
  const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN
  return value >= least && value <= most ? value : null
}
