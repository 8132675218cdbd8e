// Precision in a catalog whose SKUs are words of other products' titles: with titles as a check of
// such SKUs, against SKUs first and titles only for the files that are left.
import type { Match } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../../server/core/db/for-shop.ts'
import { createMatcher } from '../../../server/matching/match.ts'
import { createTitleCache } from '../../../server/matching/title-cache.ts'
import { fillMirror } from '../../mirror.ts'
import type { Row } from '../bench.ts'
import { judge, makeLabelled, TITLES } from './labelled.ts'

const THRESHOLD = 0.8
const FLOOR = 1.2

/** Every third product has the first long word of the next product's title as its SKU. */
const PRODUCTS = TITLES.map((title, at) => ({
  title,
  skus: at % 3 === 0 ? [wordOf(TITLES[(at + 3) % TITLES.length]!)] : [],
}))

function wordOf(title: string): string {
  return /\p{L}{4,}/u.exec(title)![0].toUpperCase()
}

export async function skuWordRows(scope: ShopScope): Promise<Row[]> {
  await fillMirror(scope, PRODUCTS)
  const names = makeLabelled()
  const files = names.map(({ name }) => ({ filename: name, tags: [] }))
  const match = createMatcher(createTitleCache())
  const signal = new AbortController().signal
  const titleOf = ({ mapping }: Match) => mapping?.product_title ?? null
  const find = async (...by: readonly ('filename' | 'title')[]) =>
    (await match(scope, files, { by, threshold: THRESHOLD }, signal)).map(titleOf)
  const [bySku, byTitle] = [await find('filename'), await find('title')]
  const ours = judge(names, await find('filename', 'title')).precision
  const theirs = judge(names, bySku.map((title, at) => title ?? byTitle[at]!)).precision // oxfmt-ignore
  return [
    {
      what: 'precision where SKUs are words of titles, against SKUs first',
      ours: ours * 100,
      theirs: theirs * 100,
      unit: '%',
      ratio: ours / theirs,
      floor: FLOOR,
    },
  ]
}
