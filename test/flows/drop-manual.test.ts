// Imports of a drop folder by hand: a preview changes nothing, and imports once it is confirmed;
// import.csv names files and their settings.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { settleConfirmed } from '../../server/features/drop/import/settle.ts'
import { DROP_TASK, laterKey } from '../../server/features/drop/wake.ts'
import { queueTask } from '../../server/core/queue/background.ts'
import { untilEnded } from '../app.ts'
import { fillMirror } from '../mirror.ts'
import { openDropImports, type DropImports } from '../drop-import.ts'
import { soakTest } from '../scale.ts'

let house: DropImports
beforeAll(async () => void (house = await openDropImports()))
afterAll(() => house.close())

const preview = async () => {
  const { body, status } = await house.call('POST', '/api/drop/import', { dry_run: true })
  expect(status).toBe(202)
  const read = async () => (await house.get(`/api/operations/${body.id}`)).status
  await expect.poll(read).toBe('previewed')
  return body.id as string
}
const confirm = async (id: string) => {
  expect((await house.call('POST', `/api/operations/${id}/confirm`)).status).toBe(200)
  return untilEnded(house.app.owner, id)
}
beforeEach(() => house.set({ schedule: 'manual' }))

describe('a preview', () => {
  soakTest('leaves the files where they are, and imports them once it is confirmed', async () => {
    await house.send('plan/import.csv', 'file_name,tags\nseen.txt,spring\n')
    await house.send('plan/seen.txt', 'seen')
    const id = await preview()
    expect(await house.paths()).toEqual(['plan/import.csv', 'plan/seen.txt'])
    expect((await house.get('/api/drop/files')).data[1]).toMatchObject({
      state: 'waiting',
      import_id: null,
    })
    expect(await house.fileNamed('seen.txt')).toBeNull()
    expect(await confirm(id)).toMatchObject({ status: 'success', done: 1 })
    expect(await house.fileNamed('seen.txt')).toMatchObject({ tags: ['spring'] })
    await house.untilPaths([])
  })
  test('does not import a file that was sent again since; it waits', async () => {
    await house.send('stale.txt', 'before')
    const id = await preview()
    await house.send('stale.txt', 'after')
    expect(await confirm(id)).toMatchObject({ status: 'failed', failed: 1 })
    expect(await house.fileNamed('stale.txt')).toBeNull()
    expect(await house.paths()).toEqual(['stale.txt'])
    const { body } = await house.call('POST', '/api/drop/import')
    await untilEnded(house.app.owner, body.id)
    expect(await house.fileNamed('stale.txt')).toMatchObject({ size_bytes: 5 })
    await house.untilPaths([])
  })
  test('whose file fails moves it to /failed/ with the reason once it is confirmed', async () => {
    await house.send('known.txt', 'first')
    await house.call('POST', '/api/drop/import')
    await house.untilThere('known.txt')
    await house.untilPaths([])
    await house.age()
    await house.send('known.txt', 'second')
    const id = await preview()
    expect(await house.paths()).toEqual(['known.txt'])
    expect(await confirm(id)).toMatchObject({ status: 'failed', failed: 1 })
    await house.untilPaths(['failed/known.txt'], 'failed')
    const { data } = await house.get('/api/drop/files?state=failed')
    expect(data[0].error).toMatchObject({ code: 'duplicate_filename' })
    expect(await house.paths()).toEqual([])
    expect((await house.call('DELETE', `/api/drop/files/${data[0].id}`)).status).toBe(204)
  })
  soakTest('that is confirmed and cancelled moves its files to /failed/', async () => {
    for (const name of ['early.txt', 'late.txt']) await house.send(`stop/${name}`, name)
    const id = await preview()
    await house.withoutWorker(async () => {
      for (const move of ['confirm', 'cancel'])
        expect((await house.call('POST', `/api/operations/${id}/${move}`)).status).toBe(200)
    })
    expect(await untilEnded(house.app.owner, id)).toMatchObject({ status: 'cancelled' })
    await house.untilPaths(['failed/stop/early.txt', 'failed/stop/late.txt'], 'failed')
    const { data } = await house.get('/api/drop/files?state=failed')
    expect(data.map(({ error }: { error: object }) => error)).toEqual([
      expect.objectContaining({ code: 'operation_cancelled' }),
      expect.objectContaining({ code: 'operation_cancelled' }),
    ])
    expect(await house.paths()).toEqual([])
    for (const file of data)
      expect((await house.call('DELETE', `/api/drop/files/${file.id}`)).status).toBe(204)
  })
  soakTest('whose file is skipped moves it to /failed/ with the reason', async () => {
    await house.send('skipped.txt', 'skipped')
    await preview()
    // The end of a run that found that the preview had shown other changes.
    const reason = { code: 'skipped', message: 'It has changed since the preview' }
    await house.app.owner.scope.transaction(async (tx) => {
      const { operation } = await tx.one<{ operation: string }>(
        `select operation_id as operation from drop_entries
         where shop_id = :shop and name = 'skipped.txt'`,
      )
      await tx.query(
        `update items set status = 'skipped', error = :reason::jsonb
         where shop_id = :shop and operation_id = :operation`,
        { operation, reason: JSON.stringify(reason) },
      )
      await settleConfirmed(tx, { id: operation })
    })
    await house.untilPaths(['failed/skipped.txt'], 'failed')
    const { data } = await house.get('/api/drop/files?state=failed')
    expect(data[0].error).toMatchObject({ message: 'It has changed since the preview' })
    expect(await house.paths()).toEqual([])
    expect((await house.call('DELETE', `/api/drop/files/${data[0].id}`)).status).toBe(204)
  })
  soakTest(
    'of an hourly folder is carried out when it is confirmed, not an hour later',
    async () => {
      await house.set({ schedule: 'hourly' })
      const { scope } = house.app.owner
      await house.send('hour.txt', 'hour')
      await queueTask(scope, DROP_TASK, laterKey(scope.shop), new Date(Date.now() + 3_600_000))
      expect(await confirm(await preview())).toMatchObject({ status: 'success', done: 1 })
      await house.untilPaths([])
    },
  )
  soakTest('names files whose names repeat within the import', async () => {
    await house.send('one/same.txt', 'one')
    await house.send('two/same.txt', 'two')
    const id = await preview()
    expect(await house.get(`/api/operations/${id}`)).toMatchObject({ done: 1, failed: 1 })
    expect((await house.get(`/api/operations/${id}/items?status=failed`)).data).toMatchObject([
      { error: { code: 'duplicate_filename' } },
    ])
    expect((await house.call('POST', `/api/operations/${id}/cancel`)).status).toBe(200)
    for (const { id: file } of (await house.get('/api/drop/files')).data)
      expect((await house.call('DELETE', `/api/drop/files/${file}`)).status).toBe(204)
  })
  test('names every wrong row of an import.csv, and moves nothing', async () => {
    await house.send('wrong/import.csv', 'file_name,expiry_days\na.txt,0\n')
    await house.send('wrong/a.txt', 'a')
    const { status, body } = await house.call('POST', '/api/drop/import', { dry_run: true })
    expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'invalid_csv' })
    expect(body.error.details).toMatchObject([
      {
        param: 'wrong/import.csv',
        code: 'invalid_csv',
        message: 'Row 2, expiry_days (0): This is not a number from 1 to 36,500',
      },
    ])
    expect(await house.paths()).toEqual(['wrong/a.txt', 'wrong/import.csv'])
    for (const { id } of (await house.get('/api/drop/files')).data)
      expect((await house.call('DELETE', `/api/drop/files/${id}`)).status).toBe(204)
  })
})

describe('import.csv', () => {
  const manifest = [
    'file_name,filename,product_sku,expiry_days,download_limit,tags,available_after_days,first_use_hours,customer_tag,ask_for',
    'a.txt,Guide.txt,,30,never,"one,two",7,48,vip,email',
    'b.txt,,,0,,,,,,',
    '',
  ].join('\n')

  test('gives files their names and settings; a wrong row keeps its file back', async () => {
    await house.send('list/import.csv', manifest)
    for (const name of ['a.txt', 'b.txt', 'other.txt']) await house.send(`list/${name}`, name)
    const { body } = await house.call('POST', '/api/drop/import')
    expect(await untilEnded(house.app.owner, body.id)).toMatchObject({
      total: 2,
      status: 'success',
    })
    expect(await house.fileNamed('Guide.txt')).toMatchObject({
      expiry_days: 30,
      download_limit: null,
      tags: ['one', 'two'],
      available_after_days: 7,
      first_use_hours: 48,
      customer_tag: 'vip',
      ask_for: 'email',
    })
    expect(await house.fileNamed('other.txt')).toMatchObject({ tags: [] })
    expect(await house.paths('failed')).toEqual(['failed/list/b.txt', 'failed/list/import.csv'])
    const { data } = await house.get('/api/drop/files?state=failed')
    expect(data[0].error).toMatchObject({
      message: 'Invalid CSV format',
      detail: 'import.csv: Row 3, expiry_days (0): This is not a number from 1 to 36,500',
    })
    const { data: notices } = await house.get('/api/notices')
    expect(notices).toContainEqual(
      expect.objectContaining({
        title: 'list/import.csv has mistakes',
        body: expect.stringMatching(/^Row 3, expiry_days \(0\): .*\/failed\//),
      }),
    )
    for (const file of data) await house.call('DELETE', `/api/drop/files/${file.id}`)
  })
  soakTest('names several products of a file: an unknown one is a warning', async () => {
    await fillMirror(house.app.owner.scope, [{ title: 'Tides', skus: ['TIDE-1'] }])
    const [product] = await house.app.owner.scope.query<{ id: string; handle: string }>(
      `select id, handle from products where shop_id = :shop and title = 'Tides'`,
    )
    const rows = `p.txt,NO-1;NO-2,${product!.handle},+new`
    await house.send('named/import.csv', `file_name,product_sku,product_handle,tags\n${rows}\n`)
    await house.send('named/p.txt', 'p')
    const { body } = await house.call('POST', '/api/drop/import')
    await untilEnded(house.app.owner, body.id)
    expect(await house.fileNamed('p.txt')).toMatchObject({
      tags: ['new'],
      products: [product!.id],
    })
    const [item] = (await house.get(`/api/operations/${body.id}/items`)).data
    expect(item.warnings.map(({ message }: { message: string }) => message)).toEqual([
      'Product SKU not found: NO-1',
      'Product SKU not found: NO-2',
    ])
  })
  soakTest('waits in the folder for the files of its rows', async () => {
    await house.send('late/import.csv', 'file_name\nhere.txt\nlate.txt\n')
    await house.send('late/here.txt', 'here')
    expect((await house.call('POST', '/api/drop/import')).status).toBe(202)
    await house.untilThere('here.txt')
    await house.untilPaths(['late/import.csv'])
    const [manifest] = (await house.get('/api/drop/files')).data
    expect(manifest).toMatchObject({ state: 'waiting', waits_for: 'files' })
    await house.send('late/late.txt', 'late')
    expect((await house.call('POST', '/api/drop/import')).status).toBe(202)
    await house.untilThere('late.txt')
    await house.untilPaths([])
  })
  test('with very many wrong rows names the first hundred', async () => {
    const rows = Array.from({ length: 150 }, (_, n) => `${n}.txt,0`)
    await house.send('many/import.csv', ['file_name,expiry_days', ...rows].join('\n'))
    await house.send('many/0.txt', 'many')
    await house.call('POST', '/api/drop/import')
    expect(await house.paths('failed')).toEqual(['failed/many/0.txt', 'failed/many/import.csv'])
    const { data } = await house.get('/api/drop/files?state=failed')
    const lines = data[1].error.detail.split('\r\n')
    expect([lines.length, lines.at(-1)]).toEqual([101, '… and 50 more rows'])
    for (const { id } of data) await house.call('DELETE', `/api/drop/files/${id}`)
  })
  soakTest('that cannot be read keeps every file of its folder back', async () => {
    await house.send('bad/import.csv', 'nothing\nx\n')
    await house.send('bad/kept.txt', 'kept')
    expect((await house.call('POST', '/api/drop/import')).status).toBe(409)
    expect(await house.paths('failed')).toEqual(['failed/bad/import.csv', 'failed/bad/kept.txt'])
    expect(await house.fileNamed('kept.txt')).toBeNull()
    const { data: notices } = await house.get('/api/notices')
    expect(notices.map(({ title }: { title: string }) => title)).toContain(
      'bad/import.csv has mistakes',
    )
    for (const { id } of (await house.get('/api/drop/files?state=failed')).data)
      expect((await house.call('DELETE', `/api/drop/files/${id}`)).status).toBe(204)
  })
})
