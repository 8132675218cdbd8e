// /api/openapi.json, and /api/docs: a page to read and try the API.
import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Context, Next } from 'koa'
import { lookup as mimeTypeOf } from 'mime-types'
import { notAllowed } from './errors.ts'
import type { Mount } from './listen.ts'

const SWAGGER = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stevedore API</title>
<link rel="icon" href="/api/docs/favicon-32x32.png">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
`
const START = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#docs', deepLinking: true, tryItOutEnabled: true })\n`
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

/**
 * `createDocument` is called once, by the first request: it would take a quarter of the processor
 * time of a start.
 */
export function docsPage(createDocument: () => object): Mount {
  let document: object | null = null
  const handle = async (ctx: Context, next: Next): Promise<void> => {
    const isDocument = ctx.path === '/api/openapi.json'
    const match = /^\/api\/docs(?:\/([\w.-]*))?$/.exec(ctx.path)
    if (!isDocument && !match) return next() as Promise<void>
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw notAllowed(ctx, ['GET', 'HEAD'])
    if (!match) {
      ctx.body = document ??= createDocument()
      return
    }
    const asset = match[1] ?? ''
    ctx.set('Content-Security-Policy', POLICY)
    ctx.set('X-Content-Type-Options', 'nosniff')
    if (asset === '') {
      ctx.type = 'html'
      ctx.body = HTML
    } else if (asset === 'start.js') {
      ctx.type = 'js'
      ctx.body = START
    } else if (ASSETS.includes(asset)) {
      ctx.type = mimeTypeOf(asset) || 'application/octet-stream'
      ctx.body = createReadStream(path.join(SWAGGER, asset))
    } else return next() as Promise<void>
  }
  return { path: ['/api/openapi.json', '/api/docs', '/api/docs/'], handle }
}
