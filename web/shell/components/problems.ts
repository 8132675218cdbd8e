// Problems of a form's values, by their place.
import { ApiError } from '../client/error.ts'
import { type Objection } from '../client/workflows.ts'
import { messageText } from '../messages/server-text.ts'

export interface Problems {
  readonly all: readonly Objection[]
  /** The problem of exactly this place: `steps[2].options`. */
  at(path: string): string | undefined
  /** The problem of this place or of a part of it, for a field that draws its parts itself. */
  within(path: string): string | undefined
}

/**
 * The server's problems are left out at places with problems of our own, which have better
 * messages.
 */
export function problemsOf(
  own: readonly Objection[],
  servers: readonly Objection[] = [],
): Problems {
  const placed = new Set(own.map(({ param }) => param))
  const said = new Map<string, Objection>()
  for (const one of [...own, ...servers.filter(({ param }) => !placed.has(param)).map(inLanguage)])
    said.set(`${one.param} ${one.message}`, one)
  const all = [...said.values()]
  const text = (list: readonly Objection[]) =>
    list.length === 0 ? undefined : [...new Set(list.map(({ message }) => message))].join('. ')
  return {
    all,
    at: (path) => text(all.filter(({ param }) => param === path)),
    within: (path) => text(all.filter(({ param }) => isWithin(param, path))),
  }
}

const inLanguage = (objection: Objection): Objection => ({
  param: objection.param,
  message: messageText(objection),
})

/** Is `param` a part of `path`? */
export const isWithin = (param: string, path: string): boolean =>
  param === path || param.startsWith(`${path}.`) || param.startsWith(`${path}[`)

/** The server's problems of the request, by place; empty if it was refused for another reason. */
export const objectionsIn = (error: Error | null): Objection[] =>
  error instanceof ApiError && error.status === 422
    ? error.details
        .filter(({ param }) => param !== '')
        .map(({ param, message }) => ({ param, message }))
    : []

/** Sets a field, and removes the error of the last attempt: it was about another value. */
export const clearing =
  <Value>(sent: { error: Error | null; reset: () => void }, set: (value: Value) => void) =>
  (value: Value): void => {
    set(value)
    if (sent.error) sent.reset()
  }

/** The id of the field for a place. */
export const fieldId = (path: string): string => `field-${path}`
