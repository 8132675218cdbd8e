// Trigrams as in pg_trgm: of each word with two spaces before it and one after it. The similarity
// of two texts is the share of their trigrams that both have.

/** All different trigrams of the words. */
export function gramsOf(words: readonly string[]): Set<string> {
  const grams = new Set<string>()
  for (const word of words) {
    const padded = `  ${word} `
    for (let at = 0; at + 3 <= padded.length; at++) grams.add(padded.slice(at, at + 3))
  }
  return grams
}

/** @param shared how many trigrams both have. */
export const likeness = (shared: number, a: number, b: number): number =>
  a + b === shared ? (shared === 0 ? 0 : 1) : shared / (a + b - shared)
