// Our side: files are matched by title as a worker does it, a batch after another, from a mirror in PostgreSQL.
import { openDatabase } from '../../../server/db/database.ts'
import { forShop } from '../../../server/db/for-shop.ts'
import { createLogger } from '../../../server/log.ts'
import { createMatcher } from '../../../server/matching/match.ts'
import { createTitleCache } from '../../../server/matching/title-cache.ts'
import { makeNames, makeTitles } from './names.ts'

const BATCH = 100
const { url, shop, threshold } = JSON.parse(process.argv[2]!) as { url: string; shop: number; threshold: number }
const database = openDatabase(url, 2, createLogger('error'))
const scope = forShop(database, shop)
const names = makeNames(makeTitles())
const signal = new AbortController().signal

/** The first hit of each name, and how long all of it took: with a title index that has to be built, as after a refresh. */
async function run() {
  const started = performance.now()
  const match = createMatcher(createTitleCache())
  const first: (string | null)[] = []
  for (let from = 0; from < names.length; from += BATCH) {
    const files = names.slice(from, from + BATCH).map((filename) => ({ filename, tags: [] }))
    const matches = await match(scope, files, { by: ['title'], threshold }, signal)
    first.push(...matches.map(({ mapping, candidates }) => (mapping ?? candidates[0])?.product_id ?? null))
  }
  return { ms: performance.now() - started, first }
}

process.on('message', () => void run().then((answer) => process.send!(answer)))
process.on('disconnect', () => void database.close())
process.send!('ready')
