// The demo platform's billing: charges that the app requests and the merchant confirms on a page,
// and managed pricing, read through the Partner API.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toGid } from './catalog-ids.ts'
import { encodedPathOf, isLocalHost, isOwnPage } from './own-page.ts'

interface DemoCharge {
  id: number
  name: string
  status: 'ACTIVE' | 'CANCELLED' | 'DECLINED' | 'PENDING'
  createdAt: string
  trialDays: number
  price: string
  returnUrl: string
}

interface ChargeRequest {
  name: string
  returnUrl: string
  trialDays?: number | null
  lineItems: {
    plan: {
      appRecurringPricingDetails?: { price: { amount: string; currencyCode: string } } | null
    }
  }[]
}

export interface DemoBilling {
  /** The field of `currentAppInstallation`. */
  activeSubscriptions(): object[]
  /** The field `appSubscriptionCreate` of Mutation. */
  appSubscriptionCreate(request: ChargeRequest): object
  /** Answers a request of the Partner API; null: the request is for something else. */
  partner(request: IncomingMessage, body: Record<string, unknown>): object | null
  /** Answers `/demo/charges…` and `/demo/plan` and returns true; false for other addresses. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
}

const PARTNER = /^\/[\w-]+\/api\/\d{4}-\d\d\/graphql\.json$/
const CHARGE = /^\/demo\/charges\/(\d{1,9})(?:\/(approve|decline))?$/
const PLAN = /^\/demo\/plan\/([\w-]*)$/

/** @param url returns the address of the demo platform's pages, known when it listens. */
export function createDemoBilling(url: () => string): DemoBilling {
  const state: BillingState = { charges: [], managedPlan: null }
  return {
    activeSubscriptions: () =>
      state.charges
        .filter(({ status }) => status === 'ACTIVE')
        .map(({ id, name, status, createdAt, trialDays }) => ({
          id: toGid('AppSubscription', id),
          name,
          status,
          createdAt,
          trialDays,
        })),
    appSubscriptionCreate: (request) => createCharge(state, request, url()),
    partner: (request, body) => answerPartner(state, request, body),
    handle: (request, response) => answerPage(state, request, response),
  }
}

interface BillingState {
  charges: DemoCharge[]
  /** The plan that the merchant chose on the platform's own pricing page. */
  managedPlan: string | null
}

function createCharge(
  { charges }: BillingState,
  { name, returnUrl, trialDays, lineItems }: ChargeRequest,
  url: string,
): object {
  const price = lineItems[0]?.plan.appRecurringPricingDetails?.price
  if (!price || !(Number(price.amount) > 0))
    return {
      appSubscription: null,
      confirmationUrl: null,
      userErrors: [{ field: ['lineItems'], message: 'Price must be greater than 0' }],
    }
  const charge: DemoCharge = {
    id: charges.length + 1,
    name,
    returnUrl,
    status: 'PENDING',
    trialDays: trialDays ?? 0,
    createdAt: new Date().toISOString(),
    price: `${price.amount} ${price.currencyCode}`,
  }
  charges.push(charge)
  return {
    appSubscription: null,
    confirmationUrl: `${url}/demo/charges/${charge.id}`,
    userErrors: [],
  }
}

function answerPartner(
  { managedPlan }: BillingState,
  { url: path = '', headers }: IncomingMessage,
  body: Record<string, unknown>,
): object | null {
  if (!PARTNER.test(path)) return null
  if (!headers['x-shopify-access-token'] || !String(body.query).includes('activeSubscription('))
    return { errors: [{ message: 'Not found' }] }
  const items = managedPlan === null ? [] : [{ handle: managedPlan }]
  const found = { cancelAtEndOfCycle: false, trialEndsAt: null, items }
  return { data: { activeSubscription: managedPlan === null ? null : found } }
}

function answerPage(
  state: BillingState,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const path = encodedPathOf(request)
  const plan = PLAN.exec(path)
  const [, id, decision] = CHARGE.exec(path) ?? []
  if (!plan && id === undefined) return false
  const charge = state.charges[Number(id) - 1]
  const posted = request.method === 'POST'
  // The app leads to the page from its own address; only this page may decide.
  const allowed = posted ? isOwnPage(request) : isLocalHost(request)
  if (!allowed) response.writeHead(403).end()
  else if (plan && posted) {
    state.managedPlan = plan[1] || null
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ plan: state.managedPlan }))
  } else if (!charge) response.writeHead(404).end('There is no such charge')
  else if (decision && posted) {
    decide(state, charge, decision === 'approve')
    response.writeHead(303, { location: charge.returnUrl }).end()
  } else response.writeHead(200, PAGE).end(pageOf(charge))
  return true
}

/** An app has one active charge: a new one ends the previous one. */
function decide({ charges }: BillingState, charge: DemoCharge, approved: boolean): void {
  if (charge.status !== 'PENDING') return
  if (approved)
    for (const other of charges) if (other.status === 'ACTIVE') other.status = 'CANCELLED'
  charge.status = approved ? 'ACTIVE' : 'DECLINED'
}

const JSON_TYPE = { 'content-type': 'application/json' }
const PAGE = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
}

const escape = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const pageOf = ({ id, name, price, trialDays, status }: DemoCharge) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Approve subscription</title>
<body style="font:16px/1.5 system-ui;max-width:480px;margin:48px auto;padding:0 16px">
<h1>Approve subscription</h1>
<p>${escape(name)}: ${escape(price)} every 30 days${trialDays > 0 ? `, free for ${trialDays} days` : ''}.</p>
${
  status === 'PENDING'
    ? `<form method="post" action="/demo/charges/${id}/approve"><button>Approve</button></form>
<form method="post" action="/demo/charges/${id}/decline"><button>Decline</button></form>`
    : `<p>It is ${status.toLowerCase()}.</p>`
}</body></html>`
