// What scripts ask of the demo platform about the app itself: tokens of the pages where its
// extensions run, and the removal and return of the app.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import type { DemoApp } from './app.ts'
import { toGid } from './catalog-ids.ts'
import { signToken } from './jwt.ts'
import type { TokenEndpoint } from './oauth.ts'
import { customerOf } from './orders/shop.ts'
import type { WebhookSender } from './orders/sender.ts'
import { encodedPathOf, isOwnPage } from './own-page.ts'

const BUYER_TOKEN = '/demo/buyer-token'
const ACTIONS = ['/demo/uninstall', '/demo/install', '/demo/shop-redact']
/** As long as the platform's tokens of the checkout and of customers' accounts. */
const BUYER_TOKEN_SECONDS = 300

interface InstallingParts {
  app: DemoApp
  tokens: TokenEndpoint
  sender: WebhookSender
}

/** Answers these addresses and returns true; false for others. */
export function createInstalling(parts: InstallingParts) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = encodedPathOf(request)
    if (path !== BUYER_TOKEN && !ACTIONS.includes(path)) return false
    const method = path === BUYER_TOKEN ? 'GET' : 'POST'
    if (!isOwnPage(request)) response.writeHead(403).end()
    else if (request.method !== method) response.writeHead(405, { allow: method }).end()
    else {
      const body =
        path === BUYER_TOKEN
          ? {
              token: signBuyerToken(parts.app, customerIn(request)),
              expires_in: BUYER_TOKEN_SECONDS,
            }
          : act(parts, path)
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
      response.writeHead(200, headers).end(JSON.stringify(body))
    }
    return true
  }
}

/** The signed-in customer, by id or email address; null: a guest. */
function customerIn({ url = '' }: IncomingMessage): number | null {
  const customer = new URLSearchParams(url.split('?')[1] ?? '').get('customer')
  if (!customer) return null
  return /^\d{1,15}$/.test(customer) ? Number(customer) : customerOf(customer)
}

/** A token as pages of the checkout and of customers' accounts send it. */
function signBuyerToken(app: DemoApp, customer: number | null): string {
  const now = Math.floor(Date.now() / 1000)
  const times = { iat: now, nbf: now, exp: now + BUYER_TOKEN_SECONDS }
  const sub = customer === null ? {} : { sub: toGid('Customer', customer) }
  const claims = { dest: app.shopDomain, aud: app.apiKey, jti: randomUUID(), ...times, ...sub }
  return signToken(claims, app.apiSecret)
}

function act({ app, tokens, sender }: InstallingParts, path: string): { installed: boolean } {
  const shop = { id: 1, domain: app.shopDomain }
  if (path === '/demo/install') tokens.install()
  if (path === '/demo/uninstall') {
    tokens.uninstall()
    void sender.send('app/uninstalled', shop)
  }
  // The platform sends it 48 hours after the app was uninstalled.
  if (path === '/demo/shop-redact')
    void sender.send('shop/redact', { shop_id: shop.id, shop_domain: shop.domain })
  return { installed: tokens.isInstalled() }
}
