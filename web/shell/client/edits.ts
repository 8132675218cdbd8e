// Changes of a record by a form. The form knows the record under an ETag; if somebody else has
// changed the same fields meanwhile, the person is asked which version to keep.
import { useEffect, useRef } from 'react'
import { callAny, etagOf } from './client.ts'
import { type Answer, type AnyParams, type Endpoint, type Params } from './endpoints.ts'
import { ApiError } from './error.ts'

/** The ETag of the record as a form knows it. */
export interface KnownTag {
  current: string | undefined
  /** The one before the form was saved: a record with it is read again. */
  replaced?: string | undefined
}

/**
 * The version of the record when the form was opened; with `dirty`, when it was last unchanged, for
 * forms that show later versions until a person types.
 */
export function useKnown(record: object | undefined, dirty = true): KnownTag {
  const known: KnownTag = useRef(etagOf(record))
  useEffect(() => {
    const tag = etagOf(record)
    if (tag !== undefined && tag === known.replaced) return
    if (!dirty || known.current === undefined) known.current = tag
  }, [known, record, dirty])
  return known
}

/**
 * Whether somebody else has changed the record since the form began; the form then knows it as it is
 * now.
 */
export function catchUp(known: KnownTag, record: object | undefined): boolean {
  const tag = etagOf(record)
  if (tag === undefined || tag === known.current) return false
  known.current = tag
  return true
}

/** What was changed meanwhile. */
export interface Conflict {
  /** Names of the fields. */
  fields: readonly string[]
  /** The record as it is now; null: unknown. */
  current: Readonly<Record<string, unknown>> | null
  answer: (answer: ConflictAnswer) => void
}

/** Which version is kept; `later`: nothing is saved, and the form keeps what was typed. */
type ConflictAnswer = 'mine' | 'theirs' | 'later'

let asked: Conflict | null = null
const listeners = new Set<() => void>()

export const conflictStore = {
  read: () => asked,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}

function setAsked(conflict: Conflict | null): void {
  asked = conflict
  listeners.forEach((listener) => listener())
}

const askAbout = (error: ApiError): Promise<ConflictAnswer> =>
  new Promise((resolve) =>
    setAsked({
      fields: error.details.map(({ param }) => param),
      current: error.current,
      answer: (answer) => {
        setAsked(null)
        resolve(answer)
      },
    }),
  )

/** The record after the change. Throws `ApiError`; `changed_meanwhile`: it was not saved. */
export async function edit<E extends Endpoint>(
  endpoint: E,
  params: Params<E> & AnyParams,
  known: KnownTag,
): Promise<Answer<E>> {
  const saved = await callAny(endpoint, { ...params, ifMatch: known.current }).catch(
    async (error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error
      if ((await askAbout(error)) !== 'mine') throw error
      return callAny(endpoint, params)
    },
  )
  known.replaced = known.current
  known.current = etagOf(saved as object)
  return saved as Answer<E>
}
