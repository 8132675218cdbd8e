// Decides about the items of a batch concurrently, with a failed outcome for each error of a port.
import type { EntrySource, Item } from './items.ts'
import { concurrently, failed, type Decision, type Outcome } from './outcomes.ts'

/**
 * Decides about up to `limit` items concurrently. A `PortError` fails its item.
 * @returns one outcome for each item, in no order
 * @throws every other error, because it is a defect, and the signal's reason
 */
export const eachItem = (
  items: readonly Item[],
  limit: number,
  signal: AbortSignal,
  decide: (item: Item) => Promise<Decision>,
): AsyncGenerator<Outcome> =>
  concurrently(items, limit, signal, async (item): Promise<Outcome> => {
    try {
      return { item: item.id, ...(await decide(item)) }
    } catch (error) {
      return failed(item, error)
    }
  })

type SourceOf<Type extends EntrySource['type']> = Extract<EntrySource, { type: Type }>

/**
 * `eachItem` for the entries of an import with this type of source. Items without such a source are
 * skipped for the given reason.
 */
export const eachSource =
  <Type extends EntrySource['type']>(type: Type, reason: string) =>
  (
    items: readonly Item[],
    limit: number,
    signal: AbortSignal,
    decide: (source: SourceOf<Type>) => Promise<Decision>,
  ): AsyncGenerator<Outcome> =>
    eachItem(items, limit, signal, async ({ entry }) =>
      entry?.source.type === type
        ? decide(entry.source as SourceOf<Type>)
        : { status: 'skipped', reason },
    )
