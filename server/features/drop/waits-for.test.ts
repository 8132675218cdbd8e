import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { HAS_OWN_NAME } from './waits-for.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

test('names that people give are not temporary names of programs', async () => {
  const temporary = [
    'a.pdf-4kT9xQ2z',
    'A.PDF-aBcDeFgH',
    'a.pdf-1a2b3c4d',
    'a.pdf.part',
    '~a.pdf',
    'a.pdf.writing',
    'a.pdf.new',
    'a.pdf._COPYING_',
    'a.pdf.inprogress',
    'a.pdf.in_progress',
    'a.pdf.filepart',
    'a.pdf.processing',
    'a.pdf.tmp12',
    'a.pdf.tmp.1234',
    'a.pdf.xfer',
    'a.pdf.INCOMING',
    'a.pdf.temporary',
    'a.pdf.moving',
    'a.pdf.!ut',
    '.a.pdf.Xk3PzQ',
    '.in.a.pdf',
    'tmp_a.pdf',
    'temp-a.pdf',
    'a.pdf.lock',
    'a.pdf.swp',
    '#a.pdf#',
  ]
  const own = [
    'a.pdf',
    'prices.csv-20261127',
    'guide.pdf-original',
    'guide.pdf-Original',
    'guide.pdf-ORIGINAL',
    'guide.pdf-version2',
    'guide-2x4kT9xQ.pdf',
    'what is new.pdf',
    'new',
    '_cover.jpg',
    'temple.pdf',
    'template_a.pdf',
    'work in progress.pdf',
  ]
  const rows = await app.owner.scope.query<{ name: string }>(
    `select name from unnest(:names::text[]) n(name), (select '' as folder, 1 as size_bytes) f
     where :shop::int is not null and ${HAS_OWN_NAME}`,
    { names: [...temporary, ...own] },
  )
  expect(rows.map(({ name }) => name)).toEqual(own)
})

test('empty files that mark another one as complete are no content', async () => {
  const names = [
    'a.pdf.done',
    'a.ok',
    'a.pdf.ready',
    'batch.trigger',
    '_SUCCESS',
    'done',
    'a.fin',
    'a.pdf.rdy',
    'a.trig',
    'a.eot',
  ]
  const contentOf = async (size: number) => {
    const rows = await app.owner.scope.query<{ name: string }>(
      `select name from unnest(:names::text[]) n(name),
         (select '' as folder, :size::int as size_bytes) f
       where :shop::int is not null and ${HAS_OWN_NAME}`,
      { names: [...names, 'a.pdf'], size },
    )
    return rows.map(({ name }) => name)
  }
  expect(await contentOf(0)).toEqual(['a.pdf'])
  expect(await contentOf(1)).toEqual([...names, 'a.pdf'])
})
