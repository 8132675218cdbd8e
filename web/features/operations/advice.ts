// The plugins' advice about the errors of an operation's files.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Item, type Operation } from '../../shell/client/types.ts'
import { messageText } from '../../shell/messages/server-text.ts'

export interface Advice {
  text: string
  /** Messages of the errors that it is about, each once. */
  errors: string[]
}

/** The advice for these files, each once, in the order of the files. */
export function adviceFor(
  { steps }: Pick<Operation, 'steps'>,
  items: readonly Pick<Item, 'status' | 'error'>[],
  plugins: readonly Pick<Plugin, 'id' | 'advice'>[],
): Advice[] {
  const ran = plugins.filter(({ id }) => steps.some(({ plugin }) => plugin === id))
  const found = new Map<string, Set<string>>()
  for (const { status, error } of items) {
    if (status !== 'failed' || !error) continue
    const text = ownValue(
      ran.find(({ advice }) => ownValue(advice, error.code))?.advice,
      error.code,
    )
    if (text === undefined) continue
    found.set(text, (found.get(text) ?? new Set()).add(messageText(error)))
  }
  return [...found].map(([text, errors]) => ({ text, errors: [...errors] }))
}
