// The product's side: matches files by title as a worker does, batch after batch, from a mirror in
// PostgreSQL.
import { openDatabase } from '../../../server/core/db/database.ts'
import { forShop } from '../../../server/core/db/for-shop.ts'
import { createLogger } from '../../../server/core/log.ts'
import { createMatcher } from '../../../server/matching/match.ts'
import { createTitleCache } from '../../../server/matching/title-cache.ts'
import { wordsOfName } from '../../../server/matching/words.ts'
import { makeNames, makeTitles } from './names.ts'

const BATCH = 100
const { url, shop, threshold } = JSON.parse(process.argv[2]!) as {
  url: string
  shop: number
  threshold: number
}
const database = openDatabase(url, 2, createLogger('error'))
const scope = forShop(database, shop)
const names = makeNames(makeTitles())
const signal = new AbortController().signal

/**
 * The time for all names, including the build of the title index, as after a refresh; and the first
 * candidate of each name, as the index returns it before scoring.
 */
async function run() {
  const started = performance.now()
  const cache = createTitleCache()
  const match = createMatcher(cache)
  for (let from = 0; from < names.length; from += BATCH) {
    const files = names.slice(from, from + BATCH).map((filename) => ({ filename, tags: [] }))
    await match(scope, files, { by: ['title'], threshold }, signal)
  }
  const ms = performance.now() - started
  const index = await cache.of(scope)
  const best = (name: string) =>
    index.search(wordsOfName(name), { floor: threshold, margin: 0, limit: 1 })[0]
  return { ms, first: names.map((name) => best(name)?.id ?? null) }
}

process.on('message', () => void run().then((answer) => process.send!(answer)))
process.on('disconnect', () => void database.close())
process.send!('ready')
