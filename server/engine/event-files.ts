// Which files of an operation an event is about.
import type { EventFiles } from '../core/outbox/webhook-events.ts'
import { CHANGED_FIELDS } from '../files/change-events.ts'

/** The fields of an item's `after` that a change of a file has. */
const CHANGED = CHANGED_FIELDS.map((name) => `'${name}'`).join(', ')

const isChanged = `i.after -> 'created' is null and i.after -> 'deleted' is null
  and i.after -> 'purged' is null`

/** SQL of items `i` of an operation `o`: the file is one of these. */
const IS_ONE_OF: Readonly<Record<EventFiles, string>> = {
  // A sync also changes, trashes and sends files that exist.
  imported: `i.entry is not null and i.after ->> 'same_bytes' is null`,
  replaced: `i.after -> 'version' is not null and i.after ->> 'same_bytes' is null and ${isChanged}`,
  changed: `jsonb_exists_any(i.after, array[${CHANGED}]) and ${isChanged}`,
  trashed: `i.after ->> 'deleted' = 'true'`,
  // What its items changed is kept for 7 days: later, a deletion is taken to have deleted them all.
  deleted: `(i.after ->> 'deleted' = 'true' or i.after ->> 'purged' = 'true'
    or (o.detail <> 'kept' and o.kind = 'bulk' and o.undoes is null))`,
  // An import maps the files that it creates, and existing ones to what their entries state.
  mapped: `(i.after -> 'mappings' is not null
    or (i.after -> 'created' is not null and (i.after ->> 'product_mapped')::boolean))`,
  asking: 'i.candidates is not null',
  quarantined: `i.after #> '{quarantine,found}' is not null`,
  failed: 'true',
}

/** SQL of items `i` that ended in a round of their operation: of times, SQL expressions. */
export const endedIn = ({ since, until }: { since: string; until: string }): string =>
  `coalesce(i.finished_at, '-infinity') between coalesce(${since}, '-infinity')
    and coalesce(${until}, 'infinity')`

/** Of events that are not about files that are done. */
const STATUS: Partial<Record<EventFiles, string>> = {
  failed: "= 'failed'",
  // A file without a product is left out, and asked about, if there was nothing else to do.
  asking: "in ('done', 'skipped')",
}

/** SQL of items `i` of an operation `o` that an event is about. Absent `about`: all that are done. */
export const isAbout = (about?: EventFiles): string =>
  `i.status ${STATUS[about ?? 'imported'] ?? "= 'done'"} and i.file_id is not null${about ? ` and ${IS_ONE_OF[about]}` : ''}`
