// A preview of the waiting files in the drop folder: it changes nothing, and imports once it is
// confirmed.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { untilEnded } from '../app.ts'
import { openDropImports, type DropImports } from '../drop-import.ts'

let house: DropImports
beforeAll(async () => void (house = await openDropImports()))
afterAll(() => house.close())

const preview = async () => {
  const { body, status } = await house.call('POST', '/api/drop/import', { dry_run: true })
  expect(status).toBe(202)
  const read = async () => (await house.get(`/api/operations/${body.id}`)).status
  await expect.poll(read, { timeout: 20_000 }).toBe('previewed')
  return body.id as string
}
const confirm = async (id: string) => {
  expect((await house.call('POST', `/api/operations/${id}/confirm`)).status).toBe(200)
  return untilEnded(house.app.owner, id)
}
beforeEach(() => house.set({ schedule: 'manual' }))

test('leaves the files where they are, and imports them once it is confirmed', async () => {
  await house.send('plan/import.csv', 'file_name,tags\nseen.pdf,spring\n')
  await house.send('plan/seen.pdf', 'seen')
  const id = await preview()
  expect(await house.paths()).toEqual(['plan/import.csv', 'plan/seen.pdf'])
  expect((await house.get('/api/drop/files')).data[1]).toMatchObject({
    state: 'waiting',
    import_id: null,
  })
  expect(await house.fileNamed('seen.pdf')).toBeNull()
  expect(await confirm(id)).toMatchObject({ status: 'success', done: 1 })
  expect(await house.fileNamed('seen.pdf')).toMatchObject({ tags: ['spring'] })
  await expect.poll(() => house.paths(), { timeout: 20_000 }).toEqual([])
})
test('does not import a file that was sent again since; it waits', async () => {
  await house.send('stale.pdf', 'before')
  const id = await preview()
  await house.send('stale.pdf', 'after')
  expect(await confirm(id)).toMatchObject({ status: 'failed', failed: 1 })
  expect(await house.fileNamed('stale.pdf')).toBeNull()
  expect(await house.paths()).toEqual(['stale.pdf'])
  const { body } = await house.call('POST', '/api/drop/import')
  await untilEnded(house.app.owner, body.id)
  expect(await house.fileNamed('stale.pdf')).toMatchObject({ size_bytes: 5 })
})
test('names every wrong row of an import.csv, and moves nothing', async () => {
  await house.send('wrong/import.csv', 'file_name,expiry_days\na.pdf,0\n')
  await house.send('wrong/a.pdf', 'a')
  const { status, body } = await house.call('POST', '/api/drop/import', { dry_run: true })
  expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'invalid_csv' })
  expect(body.error.details).toMatchObject([
    {
      ...{ param: 'wrong/import.csv', code: 'invalid_csv' },
      message: 'Row 2, expiry_days: This is not a number from 1 to 36,500',
    },
  ])
  expect(await house.paths()).toEqual(['wrong/a.pdf', 'wrong/import.csv'])
  for (const { id } of (await house.get('/api/drop/files')).data)
    expect((await house.call('DELETE', `/api/drop/files/${id}`)).status).toBe(204)
})
