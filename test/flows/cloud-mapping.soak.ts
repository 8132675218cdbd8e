// Auto-mapping in a cloud sync, on the real process with the demo catalog: a bucket's keys contain
// the SKU, at the start of the name or as a folder.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { uniqueSkus } from './catalog.ts'
import { jobUntilEnd, listAll } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'

let server: RunningServer
let bucket: FakeBucket
beforeAll(async () => {
  ;[server, bucket] = await Promise.all([startLocalServer(), startBucket()])
})
afterAll(async () => {
  await server.stop()
  await bucket.close()
  await removeDataDir(server.dataDir)
})

async function post(route: string, body: object): Promise<string> {
  const reply = await server.call('POST', route, body)
  const text = await reply.text()
  expect(reply.ok, text).toBe(true)
  return (JSON.parse(text) as { id: string }).id
}

/** The SKUs of a file's products, by its file name. */
async function skusOf(filename: string): Promise<(string | null)[]> {
  const files = (await listAll(server, '/api/files')) as { id: string; filename: string }[]
  const { id } = files.find((file) => file.filename === filename)!
  const file = await (await server.call('GET', `/api/files/${id}`)).json()
  return (file as { mappings: { sku: string | null }[] }).mappings.map(({ sku }) => sku)
}

const CASES = [
  { auto_map: true, mapped: true },
  { auto_map: false, mapped: false },
]
test.each(CASES)(
  'auto_map $auto_map: a SKU in the key, in any folder',
  async ({ auto_map, mapped }) => {
    const [inFolder, inName] = uniqueSkus() as [string, string]
    const root = `auto-${auto_map}`
    bucket.put(`${root}/${inFolder}/guide ${root}.bin`, `guide ${root}`)
    bucket.put(`${root}/all/${inName} notes ${root}.bin`, `notes ${root}`)
    bucket.put(`${root}/all/zzz ${root}.bin`, `zzz ${root}`)
    const connection = await post('/api/connections', { ...bucket.connection(root), auto_map })
    const sync = await post(`/api/connections/${connection}/sync`, {})
    expect(await jobUntilEnd(server, sync)).toMatchObject({ status: 'success', done: 3 })
    expect(await skusOf(`guide ${root}.bin`)).toEqual(mapped ? [inFolder] : [])
    expect(await skusOf(`${inName} notes ${root}.bin`)).toEqual(mapped ? [inName] : [])
    expect(await skusOf(`zzz ${root}.bin`)).toEqual([])
  },
)
