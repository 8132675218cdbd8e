import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { createTestShop, openTestDatabase, silent } from '../../../test/database.ts'
import { insertManyFiles } from '../../../test/factories.ts'
import { startMailFake, type MailFake } from '../../../test/fakes/smtp.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Link } from './model/links.ts'
import { revokeLinks } from './model/changes.ts'
import { createLinks } from './model/creation.ts'
import { createSecrets } from '../../core/secrets.ts'
import { queueLinkMails } from './mail.ts'
import { listMessages, type MessageRow } from '../messages/messages.ts'
import { listNotices } from '../../core/outbox/notices.ts'
import { openOutbox, type Outbox } from '../../startup/outbox.ts'

const BASE_URL = 'https://files.example.com'
const secrets = createSecrets('a secret of at least thirty-two characters')
const NOW = new Date()
let database: Awaited<ReturnType<typeof openTestDatabase>>
let smtp: MailFake
let outbox: Outbox
let scope: ShopScope
let files: string[]
let shops = 0

beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(async () => {
  smtp = await startMailFake()
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
  await database.pool.query(
    `update shops set name = 'Harbour & Sons', settings = $2 where id = $1`,
    [scope.shop, { recipients: ['owner@example.com'] }],
  )
  await insertManyFiles(database.pool, { shop: scope.shop, count: 3 })
  files = (await scope.from<{ id: string }>('files').select('id')).map(({ id }) => id)
  outbox = openOutbox({
    database,
    secrets,
    smtpUrl: smtp.url,
    twilio: null,
    from: 'Stevedore <files@example.com>',
    baseUrl: BASE_URL,
    log: silent,
    client: { post: () => Promise.reject(new Error('no callback in this test')) },
    operationRecord: () => Promise.resolve({}),
    clock: () => new Date(),
  })
})
afterEach(async () => {
  await outbox.close()
  await smtp.close()
})

const make = (given: object = {}): Promise<readonly Link[]> =>
  createLinks(scope, secrets, { file_ids: files, email: 'buyer@example.com', ...given }, NOW)
const queue = (links: readonly Link[], occasion = 'made') =>
  queueLinkMails(
    scope,
    links.map(({ id }) => id),
    { occasion },
  )
const messages = (): Promise<MessageRow[]> =>
  listMessages(scope, { kind: 'email', limit: 50 }, BASE_URL)
const deliverAll = async () => {
  for (const { id } of await messages()) await outbox.deliver({ shop: scope.shop, message: id })
}

const plain = (raw: string) => raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')

describe('a link by email', () => {
  it('goes only to its own address, with its file, its terms and its key', async () => {
    await scope
      .from('files')
      .where('id', files[0]!)
      .update({ filename: '<b>Guide</b> & more.pdf' } as never)
    const [link] = await make({ file_ids: [files[0]], expiry_days: 30, download_limit: 5 })
    expect(await queue([link!])).toBe(1)
    await deliverAll()
    expect(smtp.mails.map(({ to }) => to)).toEqual([['buyer@example.com']])
    const raw = plain(smtp.mails[0]!.raw)
    expect(raw).toMatch(/^Subject: Your download from Harbour & Sons: <b>Guide<\/b> & more\.pdf/m)
    expect(raw.split(`${BASE_URL}/download?key=${link!.key}`).length - 1).toBe(2)
    expect(raw).toContain('&lt;b&gt;Guide&lt;/b&gt; &amp; more.pdf')
    const until = link!.expires_at!.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
    expect(raw).toContain(`It works 5 times, until ${until}.`)
    expect(await messages()).toMatchObject([
      { status: 'sent', to: ['buyer@example.com'], error: null },
    ])
  })

  it.each(
    someOf(
      [
        [
          { expiry_days: null, download_limit: null },
          'It works as often as you like and does not expire.',
        ],
        [{ expiry_days: null, download_limit: 1 }, 'It works once and does not expire.'],
      ] as const,
      (_, at) => at % 2 === 0,
    ),
  )('describes its terms: %j', async (terms, words) => {
    await queue(await make({ file_ids: [files[0]], ...terms }))
    expect((await messages())[0]!.text).toContain(words)
  })

  soakTest('tells the terms of views alone of a file that is only viewed', async () => {
    const file = scope.from('files').where('id', files[1]!)
    await file.clone().update({
      view: 'view_only',
      content_type: 'application/pdf',
      first_use_hours: 48,
    } as never)
    const terms = { expiry_days: 1, download_limit: 9, view_limit: 3, view_days: 30 }
    const links = await make({ file_ids: [files[1]], ...terms })
    await scope.from('links').update({ views: 1 } as never)
    await queue(links)
    const until = links[0]!.view_expires_at!.toLocaleDateString('en', {
      dateStyle: 'long',
      timeZone: 'UTC',
    })
    const { text } = (await messages())[0]!
    expect(text).toContain(`You can view it in the browser 2 times, until ${until}.`)
    expect(text).toContain('It ends 2 days after the first view.')
    expect(text).not.toContain('It works')
    // Its link is sent, although downloads would have ended.
    await scope.from('links').update({ expires_at: new Date(2020, 1) } as never)
    await deliverAll()
    expect((await messages())[0]!.status).toBe('sent')
    await file.update({ view: 'download', first_use_hours: null } as never)
  })

  soakTest('shows the remaining downloads of a link that has been used', async () => {
    const links = await make({ file_ids: [files[0]], expiry_days: null, download_limit: 3 })
    await scope.from('links').update({ downloads: 1 } as never)
    await queue(links)
    expect((await messages())[0]!.text).toContain('It works 2 times and does not expire.')
  })

  it('stores its key in no table, waiting or sent', async () => {
    const links = await make()
    await queue(links)
    const everything = async () =>
      JSON.stringify([
        await scope.from('outbox').select('*'),
        await scope.from('notices').select('*'),
        (await database.pool.query('select * from graphile_worker._private_jobs')).rows,
        await messages(),
      ])
    const kept = [await everything()]
    await deliverAll()
    kept.push(await everything())
    expect(smtp.mails.length).toBe(3)
    for (const { key } of links) {
      expect(plain(smtp.mails.map(({ raw }) => raw).join())).toContain(key)
      for (const text of kept) expect(text).not.toContain(key)
    }
  })

  it('is queued once for one occasion, however often it is requested', async () => {
    const links = await make()
    expect(await queue(links)).toBe(3)
    expect(await queue(links)).toBe(0)
    expect(await queue(links.slice(1), 'by hand')).toBe(2)
    expect((await messages()).length).toBe(5)
    const { rows } = await database.pool.query(
      `select from graphile_worker.jobs where key = any(select 'message:' || id from outbox
         where shop_id = $1)`,
      [scope.shop],
    )
    expect(rows.length).toBe(5)
  })

  it('can be read while it waits, with its recipients, as it would be sent', async () => {
    const [link] = await make({ file_ids: [files[0]] })
    await queue([link!])
    expect(await messages()).toMatchObject([
      {
        status: 'waiting',
        to: ['buyer@example.com'],
        subject: `Your download from Harbour & Sons: ${link!.name}`,
      },
    ])
  })

  it.each(
    someOf(
      [
        ['revoked', (id: string) => revokeLinks(scope, [id])],
        [
          'expired',
          (id: string) =>
            scope
              .from('links')
              .where({ id } as never)
              .update({ expires_at: new Date(0) } as never),
        ],
        [
          'gone',
          (id: string) =>
            scope
              .from('links')
              .where({ id } as never)
              .delete(),
        ],
      ] as const,
      (_, at) => at % 2 === 0,
    ),
  )('is not sent once its link is %s, and the shop is notified', async (_what, end) => {
    const [link] = await make({ file_ids: [files[0]] })
    await queue([link!])
    await end(link!.id)
    await deliverAll()
    expect(smtp.mails).toEqual([])
    expect(await messages()).toMatchObject([
      { status: 'failed', error: 'The link does not work any more' },
    ])
    expect((await listNotices(scope, { limit: 5 })).rows).toMatchObject([
      { level: 'critical', body: expect.stringContaining('Create a new link') },
    ])
  })

  soakTest('cannot be altered by a name or an address', async () => {
    const [link] = await make({ file_ids: [files[0]] })
    await database.pool.query(`update shops set name = $2 where id = $1`, [
      scope.shop,
      'Harbour\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>',
    ])
    await queue([link!])
    await deliverAll()
    const [mail] = smtp.mails
    expect(mail!.to).toEqual(['buyer@example.com'])
    const raw = plain(mail!.raw)
    expect(raw).not.toMatch(/^Bcc:/im)
    expect(raw.slice(raw.indexOf('<!doctype html>'))).not.toContain('<script>')
    expect((await messages())[0]!.subject).toBe(
      `Your download from Harbour Bcc: victim@example.com <script>alert(1)</script>: ${link!.name}`,
    )
  })
})
