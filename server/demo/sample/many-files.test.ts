// Sample files are like those that the product writes: listed, mapped, and with bytes to download.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appConfig } from '../../../app.config.ts'
import { addFile } from '../../../test/deliveries.ts'
import { createTestEngine, type TestEngine } from '../../../test/engine.ts'
import { fillMirror } from '../../../test/mirror.ts'
import { sampleBytes, SAMPLE_NAMES } from './bytes.ts'
import { addManyFiles } from './many-files.ts'
import { SAMPLES_PATH } from './path.ts'
import { soakTest } from '../../../test/scale.ts'

let house: TestEngine
beforeAll(async () => {
  const { plugins, workflows } = appConfig({})
  house = await createTestEngine(plugins, workflows)
})
afterAll(() => house.close())

const many = { count: 30, models: ['guide.pdf', 'template.png'] }

test('many files are made of few, for the products that have none', async () => {
  const { scope } = house
  await expect(addManyFiles(scope, many)).rejects.toThrow('need a model and a product')
  await fillMirror(scope, [
    { title: 'Träumerei / Piano', skus: ['SM-1', 'SM-2'] },
    { title: 'Slow Bread', skus: ['EB-3'] },
  ])
  for (const name of ['guide.pdf', 'template.png']) {
    const bytes = await sampleBytes(SAMPLES_PATH + name)
    await addFile(house, name, bytes!)
  }
  await addManyFiles(scope, many)
  const [counts] = await scope.query(
    `select count(*)::int as files, count(distinct name_key)::int as names,
       count(distinct extension)::int as types,
       count(*) filter (where mapping_state = 'mapped')::int as mapped,
       (select count(*)::int from mappings where shop_id = :shop) as mappings,
       bool_and(created_at <= now() and version_since = created_at) as past
     from files where shop_id = :shop and tags <> '{}'`,
  )
  expect(counts).toEqual({
    files: 30,
    names: 30,
    types: 2,
    mapped: 27,
    mappings: 27,
    past: true,
  })
  const [first] = await scope.query(
    `select name_key from files where shop_id = :shop and name_key like 'träumerei%' limit 1`,
  )
  expect(first).toBeTruthy()
})

soakTest('every sample is what its name says', async () => {
  const begins = { pdf: '%PDF', jpg: '\xff\xd8', png: '\x89PNG', zip: 'PK\x03\x04', txt: 'For' }
  for (const name of SAMPLE_NAMES) {
    const bytes = await sampleBytes(SAMPLES_PATH + name)
    const extension = name.split('.').at(-1) as keyof typeof begins
    expect(bytes!.toString('latin1').startsWith(begins[extension]), name).toBe(true)
  }
  expect(await sampleBytes(`${SAMPLES_PATH}missing.pdf`)).toBeNull()
})
