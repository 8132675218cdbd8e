// What this process has counted since its start: code of every layer adds to these totals, and
// /metrics reports them. Labels are fixed words, never the name of a shop, a file or a person.

/** Sums by label. */
export interface RunningTotals {
  add(label: string, amount?: number): void
  read(): ReadonlyMap<string, number>
}

/**
 * @param labels that are reported with 0 from the start: Prometheus does not see the increase of a
 *   series that begins with 1.
 */
function createTotals(labels: readonly string[] = []): RunningTotals {
  const sums = new Map(labels.map((label) => [label, 0]))
  return {
    add: (label, amount = 1) => void sums.set(label, (sums.get(label) ?? 0) + amount),
    read: () => sums,
  }
}

/** OAuth's codes. All others are `other`, so that the platform cannot add series. */
export const TOKEN_CODES = [
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_subject_token',
  'unauthorized_client',
  'unsupported_grant_type',
]
/** Requests for a token that the platform refused or did not answer, by its code. */
export const tokenFailures = createTotals([...TOKEN_CODES, 'other'])

/** The pools of connections to the database. */
export const POOLS = ['plain', 'direct', 'knex'] as const
/** How often a connection was not free immediately, and for how many seconds, by pool. */
export const poolWaits = { count: createTotals(POOLS), seconds: createTotals(POOLS) }

/** Sweeps of the upkeep by name: how many ended or failed, and how long they took. */
export const sweeps = {
  ended: createTotals(),
  failed: createTotals(),
  seconds: createTotals(),
}

/** Blobs whose bytes were found missing, damaged or were restored, by what was found. */
export const blobFindings = createTotals(['missing', 'damaged', 'restored'])

/**
 * Why a body of a request was not read to its end: those of its shop or network were too large
 * together, those of all were, it made room for another one, or it arrived too slowly.
 */
const BODY_REFUSALS = ['share', 'total', 'ended', 'slow'] as const
export type BodyRefusal = (typeof BODY_REFUSALS)[number]
export const bodyRefusals = createTotals(BODY_REFUSALS)
