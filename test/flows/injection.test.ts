// Every value that a mail or a buyer's page shows is text there. The values are generated from the
// templates, so a new one is tested too: each template is written once with plain words and once
// with each payload, and Chromium must find the same elements and attributes in both.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import Handlebars from 'handlebars'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openTemplate, type Page as BuyerPage } from '../../server/features/downloads/pages.ts'
import { PLAIN_LOOK } from '../../server/features/downloads/look.ts'
import { translatorFor } from '../../server/features/downloads/translate.ts'
import { renderMail } from '../../server/features/mail/buyer-mail.ts'
import { sharedBrowser } from '../browser/page-browser.ts'
import { startMailFake } from '../fakes/smtp.ts'
import { openPurchases } from '../purchases.ts'

const PAYLOADS = [
  `"><script>alert(1)</script>`,
  `'><img src=x onerror=alert(1)>`,
  `\` onmouseover=alert(1) x=\``,
  `</title></style></textarea><svg onload=alert(1)>`,
  `--><iframe srcdoc='<script>alert(1)</script>'>`,
  `{{shop.name}}{{{shop.name}}}`,
  `javascript:alert(1)//`,
  `&lt;b&gt;&#60;script&#62;`,
]
const WORD = 'word'
/** What templates write unescaped: markup and addresses of this server. */
const RAW = ['address', 'asking', 'content', 'logo', 'style']

/** Values for every path of a template: each is `text`, lists have one element. */
function valuesFor(source: string, text: string): { values: object; raw: string[] } {
  const values: Record<string, unknown> = {}
  const raw: string[] = []
  const set = (into: Record<string, unknown>, parts: readonly string[], value: unknown) => {
    const [first, ...rest] = parts
    if (first === undefined) return
    if (rest.length === 0) return void (into[first] ??= value)
    if (typeof into[first] !== 'object') into[first] = {}
    set(into[first] as Record<string, unknown>, rest, value)
  }
  const visit = (body: readonly hbs.AST.Statement[], into: Record<string, unknown>): boolean => {
    let usesThis = false
    const value = (expression: hbs.AST.Expression, given: unknown = text) => {
      if (expression.type !== 'PathExpression') return
      const { parts, depth, data } = expression as hbs.AST.PathExpression
      if (data) return
      if (depth === 0 && parts.length === 0) usesThis = true
      else set(depth > 0 ? values : into, parts as string[], given)
    }
    for (const statement of body) {
      if (statement.type === 'MustacheStatement') {
        const mustache = statement as hbs.AST.MustacheStatement
        const path_ = mustache.path as hbs.AST.PathExpression
        const isCall = mustache.params.length > 0 || mustache.hash?.pairs
        if (!mustache.escaped) raw.push(path_.original)
        if (!isCall) value(path_)
        for (const param of mustache.params) value(param)
        for (const pair of mustache.hash?.pairs ?? []) value(pair.value)
      }
      if (statement.type === 'BlockStatement') {
        const block = statement as hbs.AST.BlockStatement
        const name = (block.path as hbs.AST.PathExpression).original
        const [subject] = block.params
        if (name === 'each') {
          const element: Record<string, unknown> = {}
          const isText = visit(block.program.body, element)
          value(subject!, [isText ? text : element])
        } else {
          usesThis = visit(block.program.body, into) || usesThis
          if (block.inverse) usesThis = visit(block.inverse.body, into) || usesThis
          value(subject!)
        }
      }
    }
    return usesThis
  }
  visit(Handlebars.parse(source).body, values)
  return { values, raw }
}

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await sharedBrowser()
  page = await browser.newPage()
})
afterAll(() => page.close())

interface FoundElement {
  localName: string
  getAttributeNames(): string[]
}
interface Parser {
  parseFromString(
    text: string,
    type: string,
  ): { querySelectorAll(all: '*'): Iterable<FoundElement> }
}

/** The elements in order, each with the names of its attributes. */
const skeletonOf = (html: string): Promise<string[]> =>
  page.evaluate((text) => {
    const { DOMParser } = globalThis as unknown as { DOMParser: new () => Parser }
    const parsed = new DOMParser().parseFromString(text, 'text/html')
    return [...parsed.querySelectorAll('*')].map(
      (element) => `${element.localName} ${element.getAttributeNames().join(' ')}`,
    )
  }, html)

/** The values that are whole addresses: any other could choose their protocol. */
const addressesIn = (source: string): string[] =>
  [...source.matchAll(/(?:href|src|action)=['"]\{+([\w.]+)\}+/g)].map(([, name]) => name!)
/** Made by this server; `baseUrl` is its own address. */
const ADDRESSES =
  'action address all ask.action baseUrl button.address buy document download files image library.action logo page pages.newer pages.older picture reader script search.all src tile.picture unlock unlock.address video view.address'.split(
    ' ',
  )

const MAILS = path.resolve(import.meta.dirname, '../../server/features/mail/templates')
const PAGES = path.resolve(import.meta.dirname, '../../server/features/downloads')
const templatesIn = (folder: string, end: string) =>
  readdirSync(folder).filter((name) => name.endsWith(end))

describe.each(templatesIn(MAILS, '.html.hbs'))('the mail %s', (file) => {
  const source = readFileSync(path.join(MAILS, file), 'utf8')
  const template = file.replace('.html.hbs', '')
  const text = readFileSync(path.join(MAILS, `${template}.txt`), 'utf8')
  const write = (value: string) => {
    const { values } = valuesFor(`${source}${text}`, value)
    // Made by this server.
    const address = 'https://a.example/x'
    const linked = [{ name: value, terms: value, address }]
    const lines = [[{ text: value }, { text: value, address: value }]]
    const texts = [{ filename: value, text: value, lines }]
    return renderMail(
      { template, data: { ...values, address, linked, texts } },
      'https://a.example',
    )
  }
  test('shows values as text', async () => {
    expect(valuesFor(source, WORD).raw.filter((name) => !RAW.includes(name))).toEqual([])
    expect(addressesIn(source).filter((name) => !ADDRESSES.includes(name))).toEqual([])
    const plain = await skeletonOf(write(WORD).html)
    expect(plain.length).toBeGreaterThan(5)
    for (const payload of PAYLOADS) {
      const { html, subject } = write(payload)
      expect([payload, await skeletonOf(html)]).toEqual([payload, plain])
      expect(subject).not.toMatch(/[\r\n]/)
    }
  })
  test('keeps its subject in one line', () => {
    expect(write('a\r\nBcc: victim@example.com\r\n\r\nb').subject).not.toMatch(/[\r\n]/)
  })
})

const PAGE_FOLDERS = ['.', 'gates', 'view', '../library']
const pages = PAGE_FOLDERS.flatMap((folder) =>
  templatesIn(path.join(PAGES, folder), '.hbs')
    .filter((name) => !/layout|ask/.test(name))
    .map((name) => path.join(folder, name)),
)
describe.each(pages)('the page %s', (file) => {
  const parts = [file, 'layout.hbs', 'ask.hbs'].map((name) =>
    readFileSync(path.join(PAGES, name), 'utf8'),
  )
  const render = openTemplate<BuyerPage>(
    new URL(`../../server/features/downloads/${file}`, import.meta.url),
  )
  const write = (value: string) => {
    const values = Object.assign(
      {},
      ...parts.map((part) => valuesFor(part, value).values),
    ) as BuyerPage
    const look = { ...PLAIN_LOOK, textsIn: () => ({ intro: value, footer: value }) }
    const shop = { name: value, domain: value, look }
    return render({ t: translatorFor('en'), shop }, { ...values, intro: true }).html
  }
  test('shows values as text', async () => {
    for (const part of parts) {
      expect(valuesFor(part, WORD).raw.filter((name) => !RAW.includes(name))).toEqual([])
      expect(addressesIn(part).filter((name) => !ADDRESSES.includes(name))).toEqual([])
    }
    const plain = await skeletonOf(write(WORD))
    expect(plain.length).toBeGreaterThan(10)
    for (const payload of PAYLOADS)
      expect([payload, await skeletonOf(write(payload))]).toEqual([payload, plain])
  })
})

test('no value of a shop or an order adds a header to a mail', async () => {
  const mail = await startMailFake()
  const purchases = await openPurchases(mail.url)
  onTestFinished(async () => {
    await purchases.close()
    await mail.close()
  })
  const evil = 'Books\r\nBcc: victim@example.com\r\nX-Evil: yes\r\n\r\n<b>body</b>'
  const { scope, buy, run } = purchases
  await scope.query('update shops set name = :evil where id = :shop', { evil })
  await scope.query('update files set filename = :evil where shop_id = :shop', { evil })
  await buy({ email: 'buyer@example.com', name: evil })
  for (const task of ['sync', 'reconcile', 'mails'] as const) await run(task)
  await expect.poll(() => mail.mails.length).toBeGreaterThan(0)
  for (const { raw, to } of mail.mails) {
    expect(to).toEqual(['buyer@example.com'])
    const [head] = raw.split('\r\n\r\n')
    const names = head!
      .replace(/\r\n[ \t]/g, ' ')
      .split('\r\n')
      .map((line) => line.split(':')[0])
    expect(names).not.toContain('Bcc')
    expect(names).not.toContain('X-Evil')
  }
})
