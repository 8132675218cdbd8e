import { describe, expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { createLinks } from './plugin.ts'

const items = ['guide.pdf', 'album.zip', 'poster.png'].map((filename, at) =>
  fileItem(String(at), { filename }, at),
)
const idOf = (at: number) => `file_${items[at]!.file.id!.replaceAll('-', '')}`
const linksOf = async (options: Record<string, unknown>) => {
  const outcomes = await Array.fromAsync(
    createLinks.plan(items, createLinks.options.parse(options), writeContext()),
  )
  return outcomes.map((outcome) => (outcome.status === 'ok' ? outcome.link : outcome))
}
const problemsOf = (options: unknown) =>
  createLinks.options
    .safeParse(options)
    .error?.issues.map(({ path, message }) => [path.join('.'), message])

pluginSuite(createLinks, () =>
  Promise.resolve({
    items,
    options: { expiry_days: 30, per_file: [{ file_id: idOf(1), download_limit: 2 }] },
    context: writeContext(),
    state: () => null,
  }),
)

describe('create-links', () => {
  it('uses each file’s settings for absent terms; null is never and unlimited', async () => {
    expect(await linksOf({})).toEqual([{}, {}, {}])
    expect(await linksOf({ expiry_days: null, download_limit: null })).toEqual(
      items.map(() => ({ expiry_days: null, download_limit: null })),
    )
  })

  it('overrides the common terms with those of a single file, field by field', async () => {
    const per_file = [
      { file_id: idOf(1), expiry_days: null, email: 'b@example.com' },
      { file_id: idOf(2), download_limit: 9 },
      { file_id: 'file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e', expiry_days: 1 },
    ]
    expect(await linksOf({ expiry_days: 30, email: 'a@example.com', per_file })).toEqual([
      { expiry_days: 30, email: 'a@example.com' },
      { expiry_days: null, email: 'b@example.com' },
      { expiry_days: 30, download_limit: 9, email: 'a@example.com' },
    ])
  })

  it('sends links that have an address', async () => {
    const per_file = [{ file_id: idOf(1), email: 'b@example.com' }]
    expect(await linksOf({ send_emails: true, per_file })).toEqual([
      {},
      { email: 'b@example.com', send: true },
      {},
    ])
    expect(await linksOf({ send_emails: false, per_file })).toEqual([
      {},
      { email: 'b@example.com' },
      {},
    ])
  })

  it.each([
    [{ expiry_days: 0 }, 'expiry_days'],
    [{ expiry_days: 36_501 }, 'expiry_days'],
    [{ expiry_days: 1.5 }, 'expiry_days'],
    [{ download_limit: 0 }, 'download_limit'],
    [{ download_limit: 1e9 + 1 }, 'download_limit'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, 'email'],
    [{ email: 'a@example.com, b@example.com' }, 'email'],
    [{ send_emails: true }, 'email'],
    [{ per_file: [{ file_id: idOf(0), expiry_days: -1 }] }, 'per_file.0.expiry_days'],
    [{ per_file: [{ file_id: idOf(0) }, { file_id: idOf(0) }] }, 'per_file.1.file_id'],
    [{ per_file: [{ file_id: idOf(0) }, { file_id: idOf(1).slice(5) }] }, 'per_file.1.file_id'],
  ])('refuses %j', (options, param) => {
    expect(problemsOf(options)!.map(([path]) => path)).toEqual([param])
  })
})
