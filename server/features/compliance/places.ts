// Where data about a buyer may be stored. Each feature declares its own tables (feature.ts); this is
// what belongs to no shop, and how addresses are replaced.

/** Replaces a deleted address: valid, so that stored options can still be read. */
export const DELETED = 'deleted@customer.invalid'
