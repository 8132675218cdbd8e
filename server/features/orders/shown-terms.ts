// The terms of time of a delivery as the pages of its order show them, in one line for all files.
import { usableUntil, tagProblemOf } from '../links/model/links.ts'

export interface ShownTerms {
  /** Files that become available later, and when the first one does. */
  later: number
  available_at: string | null
  /** The shortest time from a first use that has not begun. */
  use_hours: number | null
  /** The next time at which a file ends. */
  until: string | null
  /** When the last file ended or ends; null: a file has no end. */
  ends_at: string | null
  /** Files that need a running membership, which the customer does not have. */
  closed: number
}

/** SQL: `ShownTerms` as JSON, of the delivery with the page `l` and the order `o`. */
export const TERMS_SQL = `(
  select jsonb_build_object(
    'later', count(*) filter (where c.available_at > now()),
    'available_at', min(c.available_at) filter (where c.available_at > now()),
    'use_hours', min(c.use_hours) filter (where c.first_used_at is null),
    'until', min(e.at) filter (where e.at > now()),
    'ends_at', case when count(*) = count(e.at) then max(e.at) end,
    'closed', count(*) filter (where ${tagProblemOf('c')} is not null))
  from links c join files f on f.shop_id = c.shop_id and f.id = c.file_id and f.deleted_at is null
  cross join lateral (select ${usableUntil('c', 'f')} as at) e
  where c.shop_id = l.shop_id and c.parent_id = l.id and c.revoked_at is null)`
