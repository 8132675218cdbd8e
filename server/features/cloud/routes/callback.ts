// The page to which a provider redirects the sign-in window. It passes the provider's parameters to
// the window that opened it (same origin only), and that window completes the sign-in with its own
// session.
import { createHash } from 'node:crypto'
import type { Mount } from '../../../http/listen.ts'
import { CALLBACK_PATH } from '../authorize.ts'

const SCRIPT = `
const query = new URLSearchParams(location.search)
const get = (name) => query.get(name)
history.replaceState(null, '', location.pathname)
if (window.opener) {
  window.opener.postMessage(
    { type: 'cloud-authorized', code: get('code'), state: get('state'), error: get('error') },
    location.origin,
  )
  window.close()
}
`
const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stevedore</title></head>
<body><p>You can close this window now. If the connection is not authorized, keep the page of
Stevedore open and choose Authorize again.</p><script>${SCRIPT}</script></body>
</html>
`
const HASH = createHash('sha256').update(SCRIPT).digest('base64')

export const cloudCallback: Mount = {
  path: CALLBACK_PATH,
  handle: (ctx, next) => {
    if (ctx.method !== 'GET') return next()
    ctx.set('Content-Security-Policy', `default-src 'none'; script-src 'sha256-${HASH}'`)
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('Cache-Control', 'no-store')
    ctx.type = 'html'
    ctx.body = HTML
    return undefined
  },
}
