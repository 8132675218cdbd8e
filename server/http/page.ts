// The admin page: built files from web/dist, or Vite's middleware in development. Every other path
// gets the page's HTML, since the page has its own router. The head is completed with the values
// that the page needs to sign in.
import { ownValue } from '../../plugins/contract/index.ts'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context } from 'koa'
import { lookup as mimeTypeOf } from 'mime-types'
import { AppError } from '../core/errors.ts'
import type { Storefront } from '../storefront/storefront.ts'

export const WEB = fileURLToPath(new URL('../../web/', import.meta.url))
export const DIST = path.join(WEB, 'dist')
/** The folder of the command's package beside the page. */
export const COMMAND = 'command'
/** The compressed forms, best first. */
const COMPRESSED = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
] as const
const EXTENSION = /\.[a-z0-9]{1,8}$/i
const SHOP_DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/

/** Answers a request for a file of the page, or gives the page's HTML. */
export interface PageSource {
  /** Sources are served unbundled: the content policy must allow Vite's scripts and socket. */
  development: boolean
  asset(ctx: Context): Promise<boolean>
  html(url: string): Promise<string>
  /** The folder of the command's package. */
  command(): Promise<string>
  close(): Promise<void>
}

/** `folder`: where the page was built. */
export function builtPage(folder = DIST): PageSource {
  return {
    development: false,
    asset: async (ctx) => {
      if (!ctx.path.startsWith('/assets/') && !/^\/[\w-]+\.(svg|ico|png|txt)$/.test(ctx.path))
        return false
      const file = path.join(folder, path.normalize(ctx.path))
      if (!file.startsWith(folder + path.sep)) return false
      const found = await bestForm(ctx, file)
      if (!found) return false
      ctx.type = mimeTypeOf(file) || 'application/octet-stream'
      ctx.vary('Accept-Encoding')
      if (found.encoding) ctx.set('Content-Encoding', found.encoding)
      ctx.length = found.size
      // Names in assets/ contain a hash of the content.
      ctx.set(
        'Cache-Control',
        ctx.path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      ctx.set('X-Content-Type-Options', 'nosniff')
      ctx.body = createReadStream(found.file)
      return true
    },
    html: async (url) => {
      const html = await readFile(path.join(folder, 'index.html'), 'utf8')
      const files = await pageFiles(folder)
      const route = pageRouteOf(url, files)
      if (route === undefined) return html
      // The page asks for its texts by its route, before its scripts are there to tell it.
      const tags = [
        `<meta name="stevedore-page" content="${route}">`,
        ...(ownValue(files, route) ?? []).map(linkTo),
      ]
      return html.replace('</head>', `${tags.join('')}</head>`)
    },
    command: () => Promise.resolve(path.join(folder, COMMAND)),
    close: () => Promise.resolve(),
  }
}

/** The files that only one page needs, by its path as the page's router writes it. */
type PageFiles = Readonly<Record<string, readonly string[]>>

async function pageFiles(folder: string): Promise<PageFiles> {
  const text = await readFile(path.join(folder, 'pages.json'), 'utf8').catch(() => '{}')
  return JSON.parse(text) as PageFiles
}

/** The route of the page at an address; exported for its test. */
export function pageRouteOf(url: string, files: PageFiles): string | undefined {
  const [asked = ''] = url.split(/[?#]/)
  const parts = asked.split('/')
  const matches = (route: string) => {
    const names = route.split('/')
    return (
      names.length === parts.length &&
      names.every((name, at) => name === parts[at] || (name.startsWith(':') && parts[at] !== ''))
    )
  }
  const routes = Object.keys(files)
  return routes.find((one) => one === asked) ?? routes.find(matches)
}

const linkTo = (file: string): string =>
  file.endsWith('.css')
    ? `<link rel="stylesheet" crossorigin href="/${file}">`
    : `<link rel="modulepreload" crossorigin href="/${file}">`

/** The compressed form that the browser prefers, if the build wrote it. */
async function bestForm(ctx: Context, file: string) {
  for (const { encoding, ending } of [...COMPRESSED, { encoding: null, ending: '' }]) {
    if (encoding && !ctx.acceptsEncodings(encoding)) continue
    const found = await stat(file + ending).catch(() => null)
    if (found?.isFile()) return { file: file + ending, size: found.size, encoding }
  }
  return null
}

/**
 * Vite inside this server: sources are served unbundled and reloaded when they change.
 * @param command builds the command's package, and resolves with its folder
 */
export async function developmentPage(command: () => Promise<string>): Promise<PageSource> {
  const { createServer } = await import('vite')
  const vite = await createServer({
    configFile: path.join(WEB, 'vite.config.ts'),
    root: WEB,
    appType: 'custom',
    server: { middlewareMode: true },
  })
  return {
    development: true,
    asset: (ctx) =>
      new Promise((resolve) => {
        const done = () => resolve(true)
        ctx.res.once('finish', done)
        // Koa begins with 404, and Vite does not set the status.
        ctx.res.statusCode = 200
        vite.middlewares(ctx.req as IncomingMessage, ctx.res as ServerResponse, () => {
          ctx.res.off('finish', done)
          resolve(false)
        })
      }),
    html: async (url) =>
      vite.transformIndexHtml(url, await readFile(path.join(WEB, 'index.html'), 'utf8')),
    command,
    close: () => vite.close(),
  }
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * @param bucketOrigin where the page may send uploads in addition to this server; null: nowhere
 */
export function pageRoute(
  source: PageSource,
  storefront: Storefront,
  demo: boolean,
  bucketOrigin: string | null,
) {
  const { apiKey, bridgeUrl } = storefront.page
  const demoAdmin = storefront.demo ? new URL(storefront.demo.adminUrl).origin : ''
  const head =
    `<meta name="shopify-api-key" content="${escapeHtml(apiKey)}">` +
    `<meta name="stevedore-demo" content="${String(demo)}">` +
    `<script src="${escapeHtml(bridgeUrl)}"></script>`
  return async (ctx: Context): Promise<void> => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw new AppError('not_found')
    if (await source.asset(ctx)) {
      if (ctx.res.headersSent) ctx.respond = false
      return
    }
    // No page has an extension. A request for a file must not get HTML: a page from before an
    // upgrade asks for scripts that are gone, and an import by URL would store the page as the
    // file.
    if (ctx.path.startsWith('/assets/') || EXTENSION.test(ctx.path)) throw new AppError('not_found')
    if (!ctx.accepts('html') || ctx.path.startsWith('/api/')) throw new AppError('not_found')
    const html = await source.html(ctx.url)
    ctx.set(
      'Content-Security-Policy',
      contentPolicy(ctx, bridgeUrl, {
        demo,
        demoAdmin,
        development: source.development,
        bucketOrigin,
      }),
    )
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Referrer-Policy', 'strict-origin-when-cross-origin')
    ctx.set('Cache-Control', 'no-store')
    ctx.type = 'html'
    ctx.body = html.replace('<!--app-head-->', head)
  }
}

/** Only the shop that opens the page may frame it. */
function contentPolicy(
  ctx: Context,
  bridgeUrl: string,
  {
    demo,
    demoAdmin,
    development,
    bucketOrigin,
  }: { demo: boolean; demoAdmin: string; development: boolean; bucketOrigin: string | null },
): string {
  const shop = String(ctx.query.shop ?? '')
  const ancestors = demo
    ? `'self' ${demoAdmin}`
    : SHOP_DOMAIN.test(shop)
      ? `https://${shop} https://admin.shopify.com`
      : "'none'"
  const bridge = bridgeUrl.startsWith('/') ? '' : ` ${new URL(bridgeUrl).origin}`
  return [
    "default-src 'self'",
    `script-src 'self'${bridge}${development ? " 'unsafe-inline'" : ''}`,
    "style-src 'self' 'unsafe-inline'",
    // The platform's CDN serves product images.
    `img-src 'self' data: blob:${demo ? '' : ' https://cdn.shopify.com'}`,
    `connect-src 'self'${bridge}${bucketOrigin ? ` ${bucketOrigin}` : ''}${development ? ' ws:' : ''}`,
    "object-src 'none'",
    "base-uri 'self'",
    `frame-ancestors ${ancestors}`,
  ].join('; ')
}
