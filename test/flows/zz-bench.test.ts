import { test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import { createPack } from '../../server/features/packs/model/changes.ts'
import { listFilePage } from '../../server/files/list.ts'
import { toPublicId } from '../../server/core/ids.ts'
import { createTestEngine } from '../engine.ts'
import { fileIds, fillLibrary } from './library.ts'
const NEW = process.env.NEW === '1'
test('bench', { timeout: 3_600_000 }, async () => {
  const { plugins, workflows } = appConfig({})
  const house = await createTestEngine(plugins, workflows)
  await fillLibrary(house, 100_000)
  const { stop } = await house.startWorker()
  const pack = await house.scope.transaction((tx) => createPack(tx, 'Big', []))
  const pool = house.parts.database.pool
  const median = (xs: number[]) => xs.toSorted((a, b) => a - b)[Math.floor(xs.length / 2)]!
  const page = async (filter: object, sort = '-created_at', n = 40) => {
    const times: number[] = []
    for (let i = 0; i < n; i++) {
      const t = process.cpuUsage(); const b = performance.now()
      await listFilePage(house.scope, { filter, sort, after: null, limit: 51 } as never)
      times.push(performance.now() - b)
    }
    return `${median(times).toFixed(1)} (min ${Math.min(...times).toFixed(1)})`
  }
  const out = (...a: unknown[]) => process.stderr.write(`BENCH ${a.join(' ')}\n`)
  out('list, no packs', await page({}))
  const ids = await fileIds(house.scope)
  const begun = performance.now()
  const id = await house.startOn({ ...house.engine.workflow('move-to-pack')!, steps: [{ id: 'act', plugin: 'move-to-pack', options: { pack: toPublicId('pack', pack) } }] }, { ids })
  const ended = await house.untilEnd(id)
  out('100,000 into a pack: s', ((performance.now() - begun) / 1000).toFixed(1), ended.operation.status, ended.operation.done)
  await pool.query('vacuum analyze')
  out('list, all in a pack', await page({}))
  out('list of the pack', await page({ pack: toPublicId('pack', pack) }))
  out('list of the pack by place', await page({ pack: toPublicId('pack', pack) }, 'pack_position'))
  out('list in no pack', await page({ pack_none: true }, '-created_at', 10))
  out('list in a pack', await page({ pack_none: false }))
  const undone = performance.now()
  await house.untilEnd(await house.engine.undo(house.scope, id, 'Mira', 'admin'))
  out('undo: s', ((performance.now() - undone) / 1000).toFixed(1))
  const tag = performance.now()
  await house.untilEnd(await house.startOn({ ...house.engine.workflow('tag-files')!, steps: [{ id: 'act', plugin: 'tag-files', options: { mode: 'add', tags: ['x'] } }] }, { ids }))
  out('100,000 tagged: s', ((performance.now() - tag) / 1000).toFixed(1))
  await stop(); await house.close()
})
