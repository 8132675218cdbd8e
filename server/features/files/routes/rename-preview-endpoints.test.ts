// New names while a person edits the pattern: those of the plugin, with the collisions that the
// operation would meet.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/app.ts'
import { makeFiles, type MadeFile } from '../../../../test/files.ts'
import { toPublicId } from '../../../core/ids.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())
beforeEach(() => app.owner.scope.query('delete from files where shop_id = :shop'))

const make = async (...files: (string | MadeFile)[]) => {
  const made = files.map((file) => (typeof file === 'string' ? { filename: file } : file))
  return (await makeFiles(app.owner.scope, made)).map((id) => toPublicId('file', id))
}
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `${n + 1}.pdf`)
const ask = (select: object, options: object, limit?: number) =>
  app.owner.call('POST', '/api/files/rename-preview', {
    select,
    options,
    ...(limit === undefined ? {} : { limit }),
  })
type Row = { before: string; after: string; problem: string | null }
const names = async (
  ...asked: Parameters<typeof ask>
): Promise<[string, string, string | null][]> =>
  (await ask(...asked)).body.data.map(({ before, after, problem }: Row) => [before, after, problem])
const replace = (find: string, by: string) => ({ mode: 'replace', find, replace: by })

describe('a preview of new names', () => {
  it('has the first files in order, and their total number', async () => {
    const ids = await make('b.pdf', 'a.zip', { filename: 'c.pdf', mapped: true })
    const { status, body } = await ask(
      { file_ids: [ids[1], ids[0], ids[2]] },
      { pattern: '{sequence} {original}' },
      2,
    )
    expect([status, body]).toEqual([
      200,
      {
        data: [
          { file_id: ids[1], before: 'a.zip', after: '1 a.zip', problem: null },
          { file_id: ids[0], before: 'b.pdf', after: '2 b.pdf', problem: null },
        ],
        total: 3,
      },
    ])
    expect(await names({ filter: { type: ['pdf'] } }, { pattern: '{sequence}' })).toEqual([
      ['b.pdf', '1.pdf', null],
      ['c.pdf', '2.pdf', null],
    ])
    expect(await names({ filter: {} }, { pattern: '{product_name}' })).toEqual([
      ['b.pdf', 'b.pdf', 'It has no product to be named after'],
      ['a.zip', 'a.zip', 'It has no product to be named after'],
      ['c.pdf', 'A product.pdf', null],
    ])
    expect((await ask({ filter: {} }, { pattern: '{original}' })).body.total).toBe(3)
    const stored = await app.owner.scope.query(
      'select filename from files where shop_id = :shop order by id',
    )
    expect(stored).toEqual([{ filename: 'b.pdf' }, { filename: 'a.zip' }, { filename: 'c.pdf' }])
  })

  it('fills in packs and versions, and leaves out what a file lacks', async () => {
    const [id] = await make('a.pdf', 'b.pdf')
    const pattern = '{pack} - {original} v{version}.{extension}'
    await app.owner.call('POST', '/api/packs', { name: 'Course' })
    await app.owner.scope.query(
      `insert into pack_files (shop_id, pack_id, file_id, position)
       select shop_id, (select id from packs where shop_id = :shop), id, 0 from files
       where shop_id = :shop and filename = 'a.pdf'`,
    )
    expect(await names({ filter: {} }, { pattern, missing: 'omit' })).toEqual([
      ['a.pdf', 'Course - a v1.pdf', null],
      ['b.pdf', 'b v1.pdf', null],
    ])
    expect(await names({ file_ids: [id] }, { pattern: '{sku}' })).toEqual([
      ['a.pdf', 'a.pdf', 'It has no SKU to be named after'],
    ])
  })

  it('shows names that are taken, by other files and by earlier ones', async () => {
    const [a, b] = await make('draft 1.pdf', 'draft-1.pdf', '2.pdf', 'draft 2.pdf')
    expect(await names({ file_ids: [a, b] }, { ...replace('draft[ -]', ''), regex: true })).toEqual(
      [
        ['draft 1.pdf', '1.pdf', null],
        ['draft-1.pdf', '1.pdf', '“1.pdf” is taken'],
      ],
    )
    expect(await names({ filter: { search: 'draft 2' } }, replace('draft ', ''))).toEqual([
      ['draft 2.pdf', '2.pdf', '“2.pdf” is taken'],
    ])
  })

  it('considers files of the selection beyond those shown: some leave their names, some stay', async () => {
    await make('draft a.pdf', 'draft b.pdf', ...numbered(60), 'a.pdf', 'final b.pdf', 'b.pdf')
    expect(await names({ filter: {} }, replace('draft ', ''), 2)).toEqual([
      ['draft a.pdf', 'a.pdf', '“a.pdf” is taken'],
      ['draft b.pdf', 'b.pdf', '“b.pdf” is taken'],
    ])
    expect(await names({ filter: { search: 'b.pdf' } }, { pattern: 'b {sequence}' }, 1)).toEqual([
      ['draft b.pdf', 'b 1.pdf', null],
    ])
  })

  it('shows names of other renamed files as free, swapped or in a long chain', async () => {
    const [one, two] = await make('y 1.pdf', 'y 2.pdf')
    expect(await names({ file_ids: [two, one] }, { pattern: 'y {sequence}' }, 1)).toEqual([
      ['y 2.pdf', 'y 1.pdf', null],
    ])
    const row = await make(...numbered(300))
    const shifted = await names({ file_ids: row }, { pattern: '{sequence}', start: 2 }, 50)
    expect(shifted).toHaveLength(50)
    expect(shifted.filter(([, , problem]) => problem !== null)).toEqual([])
    const turned = await names({ file_ids: row.toReversed() }, { pattern: '{sequence}' }, 50)
    expect(turned.filter(([, , problem]) => problem !== null)).toEqual([])
    const short = await make('x 1.pdf', 'x 2.pdf', 'x 3.pdf')
    await make('x 4.pdf')
    expect(await names({ file_ids: short }, { pattern: 'x {sequence}', start: 2 }, 1)).toEqual([
      ['x 1.pdf', 'x 2.pdf', '“x 2.pdf” is taken'],
    ])
  })

  it('names problems of the options and the selection', async () => {
    const wrong = async (...asked: Parameters<typeof ask>) => {
      const { status, body } = await ask(...asked)
      return [
        status,
        ...body.error.details.map(
          ({ param, message }: Record<string, string>) => `${param}: ${message}`,
        ),
      ]
    }
    await make('a.pdf')
    const all = { filter: {} }
    expect(await wrong(all, { pattern: '{title}' })).toEqual([
      422,
      'options.pattern: There is no variable {title}: there are {product_name}, {sku}, {tags}, {pack}, {version}, {sequence}, {date}, {original}, {extension}',
    ])
    expect(await wrong(all, { mode: 'replace', find: '(?=a)', regex: true })).toEqual([
      422,
      'options.find: Look-ahead ((?=) is not available in expressions here',
    ])
    expect(await wrong(all, { pattern: 'a' }, 51)).toEqual([422, 'limit: At most 50'])
    expect((await wrong({ filter: { deleted: true } }, { pattern: 'a' }))[1]).toMatch(
      /^select\.filter\.deleted: /,
    )
    expect((await ask({ file_ids: [] }, { pattern: 'a' })).status).toBe(422)
  })

  it('ignores another shop’s files and names', async () => {
    const stranger = await app.stranger(`names-${Date.now()}.myshopify.com`)
    const [theirs] = await makeFiles(stranger.scope, [{ filename: 'taken.pdf' }])
    const [mine] = await make('a.pdf')
    expect(
      await names({ file_ids: [mine, toPublicId('file', theirs!)] }, { pattern: 'taken' }),
    ).toEqual([
      ['a.pdf', 'taken.pdf', null],
      ['', '', 'There is no such file'],
    ])
    const reader = await app.clientWith(['files:read'])
    const body = { select: { filter: {} }, options: { pattern: 'a' } }
    expect((await reader.call('POST', '/api/files/rename-preview', body)).status).toBe(200)
    const other = await app.clientWith(['links:write'])
    expect((await other.call('POST', '/api/files/rename-preview', body)).status).toBe(403)
  })
})
