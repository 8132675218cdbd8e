// What an unknown SKU is a typing error of: `EB-00l` for `EB-001`. A person is asked; nothing is mapped
// by it.
import type { ShopScope } from '../core/db/for-shop.ts'
import { partsKey, skuKey } from '../core/sku-key.ts'
import { variantsBySkuParts } from '../storefront/mirror/lookup.ts'
import { haveOneSku } from './spelled-skus.ts'

/** SKUs of one look-up: each has some hundred near texts. */
const MAX_SKUS = 100
const MAX_LENGTH = 64
/** Characters that are taken for one another, also in lower case. */
const TWINS = ['0o', '1il', '2z', '5s', '6g', '8b']
const MAX_TWINS = 2
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
/** In shorter words, another letter is another product: `A-1` is none of `B-1`. */
const WORDS = /[a-z]{4,}/g

/**
 * The one SKU of the shop that each of these may be, in its own spelling; SKUs of which several can be
 * meant are absent. Digits are never guessed: `EB-010` is no typing error of `EB-01`. Reads the mirror.
 *
 * @param skus unknown in the shop
 */
export async function nearSkus(
  scope: ShopScope,
  skus: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(skus)].flatMap((sku) => {
    const key = partsKey(skuKey(sku))
    return key === '' || key.length > MAX_LENGTH
      ? []
      : [{ sku, ways: [withTwins(key), withTypingError(key)] }]
  })
  const found = new Map<string, string>()
  for (let from = 0; from < asked.length; from += MAX_SKUS) {
    const some = asked.slice(from, from + MAX_SKUS)
    const keys = new Set(some.flatMap(({ ways }) => ways.flatMap((way) => [...way])))
    const known = Map.groupBy(await variantsBySkuParts(scope, [...keys]), ({ key }) => key)
    for (const { sku, ways } of some) {
      // A character that looks the same is likelier than another error.
      const variants = ways
        .map((way) => [...way].flatMap((key) => known.get(key) ?? []))
        .find((hits) => hits.length > 0)
      const [first] = variants ?? []
      if (variants && first && haveOneSku(variants)) found.set(sku, first.sku)
    }
  }
  return found
}

/** The key with one or two characters in the place of those that look alike. */
function withTwins(key: string): Set<string> {
  let found = new Set([key])
  for (let count = 0; count < MAX_TWINS; count++)
    found = new Set([...found, ...[...found].flatMap(withOneTwin)])
  found.delete(key)
  return found
}

const withOneTwin = (key: string): string[] =>
  [...key].flatMap((char, at) =>
    TWINS.filter((twins) => twins.includes(char)).flatMap((twins) =>
      [...twins].filter((twin) => twin !== char).map((twin) => spliced(key, at, 1, twin)),
    ),
  )

/** The key with a delimiter more or less, or with one letter of a word wrong, missing, doubled or moved. */
function withTypingError(key: string): Set<string> {
  const found = new Set<string>()
  for (let at = 1; at < key.length; at++) {
    if (key[at] === '-') found.add(spliced(key, at, 1))
    else if (key[at - 1] !== '-') found.add(spliced(key, at, 0, '-'))
  }
  for (const { 0: word, index } of key.matchAll(WORDS))
    for (const other of misspelled(word)) found.add(spliced(key, index, word.length, other))
  found.delete(key)
  return found
}

function misspelled(word: string): string[] {
  const places = [...word.split('').keys()]
  return [
    ...places.map((at) => spliced(word, at, 1)),
    ...places.slice(1).map((at) => spliced(word, at - 1, 2, `${word[at]}${word[at - 1]}`)),
    ...places.flatMap((at) => LETTERS.map((letter) => spliced(word, at, 1, letter))),
    ...[...places, word.length].flatMap((at) =>
      LETTERS.map((letter) => spliced(word, at, 0, letter)),
    ),
  ]
}

const spliced = (text: string, at: number, removed: number, added = ''): string =>
  text.slice(0, at) + added + text.slice(at + removed)
