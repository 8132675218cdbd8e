// Characters for tests with random texts.
import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any code point, often a printable ASCII one. fast-check's unit `binary` builds a table of all
 * code points first, which takes most of a second in every process.
 */
export const codePoint = fc
  .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.nat(0x10ffff - SURROGATES.count))
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count))
