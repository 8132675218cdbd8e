// Reviews: files that match several products, with the candidates from which a person chooses. A
// file has at most one open review, and a rejected set of candidates is not proposed again.
import { hash } from 'node:crypto'
import { say, type AnyText, type Candidate } from '../../../../plugins/contract/index.ts'
import { NEARLY_THE_TITLE } from '../../../matching/hits.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'

export const REVIEW_STATUSES = ['open', 'accepted', 'rejected'] as const
export type ReviewStatus = (typeof REVIEW_STATUSES)[number]

export interface ReviewRow {
  id: string
  file_id: string
  filename: string
  operation_id: string | null
  kind: 'import' | 'bulk' | null
  /** The candidates, best first. */
  candidates: Candidate[]
  score: number
  status: ReviewStatus
  created_at: Date
  decided_at: Date | null
  decided_by: string | null
  /** Whether the file has a product that the operation was asked to replace. */
  replaces: boolean
}

/**
 * Records reviews. Must be called in the transaction that writes the outcomes. A file that has a
 * product gets a review only if the product is to be replaced.
 */
export async function recordReviews(
  tx: ShopScope,
  operation: string,
  found: readonly { fileId: string; candidates: readonly Candidate[]; replaces: boolean }[],
): Promise<void> {
  if (found.length === 0) return
  const rows = found.map(({ fileId, candidates, replaces }) => ({
    file_id: fileId,
    replaces,
    // Files with equal candidates have them in one order, so that they are one group.
    candidates: candidates.toSorted(
      (a, b) => b.score - a.score || (a.product_id < b.product_id ? -1 : 1),
    ),
    score: Math.max(...candidates.map(({ score }) => score)),
    question: questionOf(candidates),
  }))
  await tx.query(
    `insert into reviews (shop_id, file_id, operation_id, candidates, score, question, replaces)
     select :shop, r.file_id, :operation, r.candidates, r.score, decode(r.question, 'hex'),
       r.replaces
     from jsonb_to_recordset(:rows::jsonb) as r(file_id uuid, candidates jsonb, score real,
       question text, replaces boolean)
     join files f on f.shop_id = :shop and f.id = r.file_id
       and (r.replaces or f.mapping_state <> 'mapped')
     where not exists (select from reviews o where o.shop_id = :shop and o.file_id = r.file_id
       and o.status = 'rejected'
       and o.question = decode(r.question, 'hex'))
     on conflict (shop_id, file_id) where status = 'open' do update set
       (operation_id, candidates, score, question, replaces, created_at) =
       (excluded.operation_id, excluded.candidates, excluded.score, excluded.question,
         excluded.replaces, now())`,
    { operation, rows: JSON.stringify(rows) },
  )
}

const questionOf = (candidates: readonly Candidate[]) =>
  // oxfmt-ignore
  hash('sha256', candidates.map(({ product_id, variant_id }) => `${product_id} ${variant_id}`).sort().join('\n'))

const COLUMNS = `r.id, r.file_id, f.filename, r.operation_id, o.kind, r.candidates, r.score, r.status, r.created_at, r.decided_at,
  r.decided_by, r.replaces`
// The limit makes the planner look the file of each review up: it would read all files instead.
const OF_FILES = `reviews r cross join lateral (
    select f.filename, f.mapping_state from files f
    where f.shop_id = r.shop_id and f.id = r.file_id and f.deleted_at is null limit 1) f`
const WITH_FILES = `${OF_FILES}
  left join operations o on o.shop_id = r.shop_id and o.id = r.operation_id`
/** SQL: the file got no other product since it was asked whether to replace the one that it has. */
const IS_UNANSWERED = `not exists (select from mappings m
  where m.shop_id = r.shop_id and m.file_id = r.file_id and m.created_at > r.created_at)`
/** SQL: the review is still needed. A file that was mapped in the meantime needs none. */
const IS_NEEDED = `(r.status <> 'open' or not r.file_settled or r.replaces and ${IS_UNANSWERED})`
/**
 * SQL: the open reviews that are needed, from indexes alone: a trigger keeps `file_settled`. Only
 * those that ask for a replacement look their files up.
 */
export const WAITING = `(
  select r.id, r.alike, r.sure from reviews r
  where r.shop_id = :shop and r.status = 'open' and not r.file_settled
  union all
  select r.id, r.alike, r.sure from ${OF_FILES}
  where r.shop_id = :shop and r.status = 'open' and r.file_settled and r.replaces
    and ${IS_UNANSWERED})`

const LIKE_THE_TITLE = say('Their names are like the title')
/**
 * SQL: the rule that suggested the best candidate of a review. How like a title a name is differs
 * from file to file, so that it is left out, as in the column `alike`.
 */
const RULE = `case r.candidates #>> '{0,reason,message}' when '${NEARLY_THE_TITLE}'
  then '${JSON.stringify(LIKE_THE_TITLE)}' else r.candidates #> '{0,reason}' end`
const ALIKE = `r.alike = (select x.alike from reviews x where x.shop_id = :shop and x.id = :like)`

interface ReviewPage {
  status: ReviewStatus
  /** Only reviews like this one. */
  like?: string
  before?: string
  limit: number
}

/** Reads a page of reviews, newest first. */
export function listReviews(
  scope: ShopScope,
  { status, like, before, limit }: ReviewPage,
): Promise<ReviewRow[]> {
  return scope.query<ReviewRow>(
    `select ${COLUMNS} from ${WITH_FILES}
     where r.shop_id = :shop and r.status = :status
       and ${IS_NEEDED} and (:before::uuid is null or r.id < :before)
       ${like === undefined ? '' : `and ${ALIKE}`}
     order by r.id desc limit :limit`,
    { status, before: before ?? null, limit, ...(like === undefined ? {} : { like }) },
  )
}

/** Open reviews that are alike. */
export interface ReviewGroup {
  /** The newest of them. */
  review: ReviewRow
  /** What suggested their best candidate, without what differs between them. */
  rule: AnyText
  count: number
  /** The names of some of the others. */
  others: string[]
}

const SHOWN_NAMES = 6

interface GroupRow {
  /** The newest reviews of the group, that is `review` and those of `others`. */
  ids: string[]
  count: number
  /** The number of open reviews, in all groups. */
  open: number
}

/** Reads a page of groups, the largest first, and the number of open reviews. */
export async function listReviewGroups(
  scope: ShopScope,
  { before, limit }: { before?: { count: number; newest: string }; limit: number },
): Promise<{ groups: ReviewGroup[]; open: number }> {
  const groups = await scope.query<GroupRow>(
    `with grouped as (
       select (array_agg(id order by id desc))[:${SHOWN_NAMES}] as ids, count(*) as count
       from ${WAITING} w group by alike
     )
     select *, (select coalesce(sum(count), 0) from grouped)::int as open from grouped
     where :newest::uuid is null or (count, ids[1]) < (:count::bigint, :newest::uuid)
     order by count desc, ids[1] desc limit :limit`,
    { limit, count: before?.count ?? 0, newest: before?.newest ?? null },
  )
  const rows = await scope.query<ReviewRow & { rule: AnyText }>(
    `select ${COLUMNS}, ${RULE} as rule from ${WITH_FILES}
     where r.shop_id = :shop and r.id = any(:ids::uuid[])`,
    { ids: groups.flatMap(({ ids }) => ids) },
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const found = groups.flatMap(({ ids, count }) => {
    const [newest, ...others] = ids.flatMap((id) => byId.get(id) ?? [])
    if (!newest) return []
    const { rule, ...review } = newest
    return { review, rule, count, others: others.map(({ filename }) => filename) }
  })
  return { groups: found, open: groups[0]?.open ?? (await countOpen(scope)) }
}

/** How many reviews are open, counted up to `most`. */
export async function countOpen(scope: ShopScope, most?: number): Promise<number> {
  const row = await scope.one<{ open: number }>(
    `select count(*) as open from (select from ${WAITING} w limit :most) n`,
    { most: most ?? null },
  )
  return row.open
}

export const findReview = (scope: ShopScope, id: string): Promise<ReviewRow | null> =>
  scope.first<ReviewRow>(
    `select ${COLUMNS} from ${WITH_FILES} where r.shop_id = :shop and r.id = :id`,
    { id },
  )

/** Lists open reviews with one best candidate above a score, in the order of their scores. */
export function listUnambiguous(
  scope: ShopScope,
  above: number,
  { first, limit }: { first: 'highest' | 'lowest'; limit: number },
): Promise<ReviewRow[]> {
  const order = first === 'highest' ? 'desc' : 'asc'
  return scope.query<ReviewRow>(
    `select ${COLUMNS} from ${WITH_FILES}
     where r.shop_id = :shop and r.id in (
       select id from ${WAITING} w where sure >= :above::real
       order by sure ${order}, id limit :limit)
     order by r.score ${order}, r.id`,
    { above, limit },
  )
}

/** How many open reviews have one best candidate above each of these scores, in their order. */
export async function countUnambiguous(
  scope: ShopScope,
  scores: readonly number[],
): Promise<number[]> {
  const rows = await scope.query<{ reviews: number }>(
    `select count(w.id) as reviews from unnest(:scores::real[]) with ordinality s (above, place)
     left join ${WAITING} w on w.sure >= s.above group by place order by place`,
    { scores },
  )
  return rows.map(({ reviews }) => reviews)
}

/** Decides reviews. Returns those that were open before. */
export async function decideReviews(
  tx: ShopScope,
  ids: readonly string[],
  status: 'accepted' | 'rejected',
  by: string,
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `update reviews set status = :status, decided_at = now(), decided_by = :by
     where shop_id = :shop and id = any(:ids::uuid[]) and status = 'open' returning id`,
    { ids, status, by },
  )
  return new Set(rows.map(({ id }) => id))
}

/** Opens rejected reviews again, unless their files have another open one. Returns their number. */
export async function reopenRejected(tx: ShopScope, ids: readonly string[]): Promise<number> {
  await lockFiles(tx, 'r.id = any(:ids::uuid[])', { ids })
  const rows = await tx.query(
    `update reviews r set status = 'open', decided_at = null, decided_by = null
     where r.shop_id = :shop and r.status = 'rejected' and r.id = any(:ids::uuid[])
       and r.id = (select max(c.id::text)::uuid from reviews c where c.shop_id = :shop
         and c.file_id = r.file_id and c.status = 'rejected' and c.id = any(:ids::uuid[]))
       and not exists (select from reviews o where o.shop_id = :shop and o.file_id = r.file_id
         and o.status = 'open') returning r.id`,
    { ids },
  )
  return rows.length
}

/** Records the operation that maps the files of these reviews. */
export async function recordAcceptance(
  tx: ShopScope,
  ids: readonly string[],
  operation: string,
): Promise<void> {
  await tx.query(
    'update reviews set accepted_in = :operation where shop_id = :shop and id = any(:ids::uuid[])',
    {
      ids,
      operation,
    },
  )
}

/**
 * Opens accepted reviews again at the end of an operation that did not map the file or undid the
 * mapping. `undoes`: the operation that it undid.
 */
export async function reopenReviews(
  tx: ShopScope,
  { id, undoes }: { id: string; undoes: string | null },
): Promise<void> {
  await lockFiles(tx, 'r.accepted_in = :accepted', { accepted: undoes ?? id })
  await tx.query(
    `update reviews r set status = 'open', decided_at = null, decided_by = null, accepted_in = null
     where r.shop_id = :shop and r.accepted_in = :accepted and r.status = 'accepted'
       and exists (select from items i where i.shop_id = :shop and i.operation_id = :id
         and i.file_id = r.file_id
         and (i.status = 'done') = :undone)
       and not exists (select from reviews o where o.shop_id = :shop and o.file_id = r.file_id
         and o.status = 'open')`,
    { id, accepted: undoes ?? id, undone: undoes !== null },
  )
}

/**
 * Locks the files of reviews that will be open again. The trigger on reviews reads them under the
 * same lock, and changes of files lock the file first and its review then: the other order could
 * be a deadlock.
 */
async function lockFiles(
  tx: ShopScope,
  which: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tx.query(
    `select from files where shop_id = :shop and id in (
       select r.file_id from reviews r where r.shop_id = :shop and ${which}) order by id for share`,
    values,
  )
}
