// Runs an extension as the platform does: its bundle in a page, with the global `shopify` and the
// texts of its locale. Its elements are rendered as plain ones, whose text can be read.
import type { Browser, Page } from 'playwright-core'
import { buildExtension, extensionTexts } from '../../server/demo/admin/extensions.ts'

export type ExtensionName =
  | 'thank-you'
  | 'order-status'
  | 'library-page'
  | 'order-block'
  | 'product-block'
  | 'product-links'

export interface HostOptions {
  name: ExtensionName
  /** The platform's origin for that surface, where the extension runs. */
  origin: string
  /** The app's address. */
  appUrl: string
  locale?: string
  /** A session token, or an API key. */
  token: string
  orderConfirmation?: { order: { id: string }; number?: string }
  appMetafields?: { target: { type: string }; metafield: { key: string; value: string } }[]
  selected?: string[]
  /** The products that were bought. */
  products?: string[]
}

/** Opens the extension in a page. */
export async function openExtension(browser: Browser, options: HostOptions): Promise<Page> {
  const { name, origin, appUrl, locale = 'en.default' } = options
  const given = { ...options, texts: await extensionTexts(name, locale) }
  const code = await buildExtension(name, appUrl)
  const page = await (await browser.newContext()).newPage()
  const answers: Record<string, [type: string, body: string]> = {
    '/': [
      'text/html; charset=utf-8',
      `<!doctype html><style>${STYLE}</style><body></body><script>(${host.toString()})(${json(given)})</script>
      <script type="module">import extension from './extension.js'; extension()</script>`,
    ],
    '/extension.js': ['text/javascript; charset=utf-8', code],
  }
  await page.route(`${origin}/**`, (route) => {
    const answer = answers[new URL(route.request().url()).pathname]
    return answer
      ? route.fulfill({ contentType: answer[0], body: answer[1] })
      : route.fulfill({ status: 404, body: '' })
  })
  await page.goto(`${origin}/`)
  return page
}

/** Makes screenshots readable: roughly as the platform renders its elements. */
const STYLE = `body { font: 14px/1.5 system-ui, sans-serif; margin: 16px; max-width: 480px }
  s-page { display: block } s-page::before { content: attr(heading); display: block; font: 600 20px/1.5 system-ui }
  s-section, s-admin-block, s-admin-action { display: block; border: 1px solid #ddd; border-radius: 8px; padding: 12px }
  s-section::before, s-admin-block::before, s-admin-action::before { content: attr(heading); display: block; font-weight: 600 }
  s-stack { display: flex; flex-direction: column; gap: 8px }
  s-stack[direction='inline'] { flex-flow: row wrap; align-items: center }
  s-banner { display: block; padding: 8px; border-radius: 8px; background: #eee }
  s-banner[tone='critical'] { background: #fdd } s-banner[tone='success'] { background: #dfd }
  s-banner[tone='warning'] { background: #fed } s-badge { padding: 0 8px; border-radius: 8px; background: #eee }
  s-button { padding: 4px 12px; border: 1px solid #999; border-radius: 8px } s-button[disabled] { opacity: .5 }
  s-link { color: #005bd3 } s-spinner::before { content: 'Loading' }`

const json = (value: object) => JSON.stringify(value).replaceAll('<', '\\u003c')

/** Runs in the page. */
function host(given: HostOptions & { texts: object }): void {
  const translate = (key: string, values: Record<string, unknown> = {}): string => {
    let text: unknown = key
      .split('.')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], given.texts)
    if (typeof text === 'object' && text !== null) {
      const forms = text as Record<string, string>
      text = forms[new Intl.PluralRules('en').select(Number(values.count))] ?? forms.other
    }
    if (typeof text !== 'string') throw new Error(`There is no text ${key}`)
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]))
  }
  const send = globalThis.fetch.bind(globalThis)
  Object.assign(globalThis, {
    // The admin resolves relative addresses against the app's address.
    fetch: (address: string, init?: RequestInit) => send(new URL(address, given.appUrl), init),
    shopify: {
      i18n: {
        translate,
        formatDate: (date: Date, options?: Intl.DateTimeFormatOptions) =>
          new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' }).format(date),
        formatNumber: (value: number) => new Intl.NumberFormat('en').format(value),
      },
      auth: { idToken: () => Promise.resolve(given.token) },
      sessionToken: { get: () => Promise.resolve(given.token) },
      orderConfirmation: { value: given.orderConfirmation },
      appMetafields: { value: given.appMetafields ?? [] },
      lines: {
        value: (given.products ?? []).map((id) => ({
          merchandise: { id: 'gid://shopify/ProductVariant/7', product: { id } },
          lineComponents: [],
        })),
      },
      data: { selected: (given.selected ?? []).map((id) => ({ id })) },
      close: () => {},
    },
  })
}
