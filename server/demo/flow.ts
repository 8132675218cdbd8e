// The demo platform's automation (Flow): which triggers its workflows use, which messages it
// received, and running the app's action. As on the platform, each is a signed request to the app.
import { createHmac, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { readBounded } from '../core/body-budget.ts'
import type { DemoApp } from './app.ts'
import { encodedPathOf, isOwnPage } from './own-page.ts'

export interface ReceivedTrigger {
  handle: string
  payload: unknown
  received_at: string
}

export interface DemoFlow {
  /** The field `flowTriggerReceive` of Mutation. */
  flowTriggerReceive(given: { handle?: string | null; payload?: unknown }): {
    userErrors: { field: string[]; message: string }[]
  }
  /** Answers `/demo/flow…` and returns true; false for other addresses. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
}

const HANDLES = ['import-finished', 'file-delivered', 'limit-reached'] as const
const MAX_PAYLOAD = 50_000
const MAX_KEPT = 1000
const MAX_BODY_BYTES = 256 * 1024

const useBody = z.strictObject({ handle: z.enum(HANDLES), enabled: z.boolean().default(true) })
const refusalBody = z.strictObject({ refused: z.string().max(500).nullable() })
const actionBody = z.strictObject({
  properties: z.record(z.string(), z.unknown()),
  action_run_id: z.string().max(200).optional(),
})

/** @param appAddress where the app listens, without a slash at the end. */
export function createDemoFlow(app: DemoApp, appAddress: string): DemoFlow {
  const state: FlowState = { received: [], enabled: {}, refusal: null }
  const routes = createRoutes(state, (path, content) => postSigned(app, appAddress + path, content))
  return {
    flowTriggerReceive: ({ handle, payload }) => {
      const message = receiveTrigger(state, handle ?? '', payload)
      return { userErrors: message === null ? [] : [{ field: ['body'], message }] }
    },
    handle: (request, response) => {
      const path = encodedPathOf(request)
      if (path !== '/demo/flow' && !path.startsWith('/demo/flow/')) return false
      void respond(request, routes[`${request.method} ${path}`]).then(({ status, body }) =>
        response
          .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
          .end(JSON.stringify(body)),
      )
      return true
    },
  }
}

interface FlowState {
  received: ReceivedTrigger[]
  /** Is a workflow with this trigger switched on? */
  enabled: Record<string, boolean>
  /** The refusal for a shop whose plan lacks Flow. */
  refusal: string | null
}

/** Stores the message; returns why it is refused, or null. */
function receiveTrigger(
  { received, refusal }: FlowState,
  handle: string,
  payload: unknown,
): string | null {
  if (refusal !== null) return refusal
  if (!(HANDLES as readonly string[]).includes(handle))
    return 'Errors validating schema: trigger not found'
  if (JSON.stringify(payload ?? {}).length > MAX_PAYLOAD)
    return 'Payload is larger than 50000 bytes'
  received.push({ handle, payload, received_at: new Date().toISOString() })
  if (received.length > MAX_KEPT) received.shift()
  return null
}

type Route = (body: unknown) => Promise<object> | object
type PostToApp = (path: string, content: object) => Promise<{ status: number; body: unknown }>

async function postSigned(
  { shopDomain, apiSecret }: DemoApp,
  address: string,
  content: object,
): ReturnType<PostToApp> {
  const body = JSON.stringify({ shop_id: '1', shopify_domain: shopDomain, ...content })
  const signature = createHmac('sha256', apiSecret).update(body).digest('base64')
  const response = await fetch(address, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-shopify-hmac-sha256': signature },
  })
  return { status: response.status, body: (await response.json()) as unknown }
}

/** The addresses for scripts and tests, by method and path. */
function createRoutes(state: FlowState, post: PostToApp): Readonly<Record<string, Route>> {
  const { enabled, received } = state
  return {
    'GET /demo/flow': () => ({ enabled, refused: state.refusal, received }),
    'POST /demo/flow/refusal': (body) => {
      const { refused } = refusalBody.parse(body)
      state.refusal = refused
      return { refused }
    },
    'POST /demo/flow/triggers': async (body) => {
      const use = useBody.parse(body)
      const answer = await post('/flow/triggers', {
        flow_trigger_definition_id: use.handle,
        has_enabled_flow: use.enabled,
        timestamp: new Date().toISOString(),
      })
      // As on the platform: a workflow cannot be switched on if the app refuses the request.
      if (answer.status === 200) enabled[use.handle] = use.enabled
      return { ...answer, enabled }
    },
    'POST /demo/flow/actions': (body) => {
      const { properties, action_run_id = randomUUID() } = actionBody.parse(body)
      const handle = 'send-download-links'
      return post(`/flow/actions/${handle}`, { action_run_id, handle, properties })
    },
  }
}

async function respond(
  request: IncomingMessage,
  route: Route | undefined,
): Promise<{ status: number; body: object }> {
  const refused = (status: number, message: string) => ({ status, body: { error: { message } } })
  if (!isOwnPage(request)) return refused(403, 'Only pages on this machine may do this')
  if (!route) return refused(404, 'There is nothing at this address')
  try {
    const bytes = await readBounded(request, MAX_BODY_BYTES)
    if (bytes === null) return refused(413, 'The body is too large')
    const text = bytes.toString()
    return { status: 200, body: await route(text === '' ? {} : JSON.parse(text)) }
  } catch (error) {
    return refused(422, error instanceof Error ? error.message : String(error))
  }
}
