// POST /mcp: the Model Context Protocol over streamable HTTP, for agents with an API key. Each request is
// complete: no session is kept, so any process answers, and nothing is read before the key is known.
import type { Context } from 'koa'
import { say } from '../../../plugins/contract/index.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import { AppError } from '../../core/errors.ts'
import { countForShop } from '../../core/request-body.ts'
import type { Authenticator } from '../../http/auth.ts'
import { jsonReader } from '../../http/body.ts'
import { isApiKey } from '../../http/endpoint.ts'
import { notAllowed } from '../../http/errors.ts'
import type { Mount } from '../../http/listen.ts'
import type { RateLimiter } from '../../http/router.ts'
import type { ToolParts } from './run-tool.ts'

export const MCP_PATH = '/mcp'

export interface McpParts extends ToolParts {
  authenticator: Authenticator
  rateLimiter: RateLimiter
  limits: Limits
}

export function mcpMount(parts: McpParts): Mount {
  const readJson = jsonReader(parts.limits.body_bytes)
  const { origin } = new URL(parts.baseUrl)
  const handle = async (ctx: Context): Promise<void> => {
    // A stream of messages to the client would need a session; the protocol makes it optional.
    if (ctx.method !== 'POST') throw notAllowed(ctx, ['POST'])
    requireOrigin(ctx, origin)
    const caller = await parts.authenticator.authenticate(ctx.req)
    if (!isApiKey(caller)) throw new AppError('unauthenticated')
    countForShop(ctx.req, caller.scope.shop)
    await parts.rateLimiter.count(ctx, caller, { method: 'get' })
    const message = await readJson(ctx)
    if (Array.isArray(message))
      throw new AppError('malformed_request', { message: say('Send one message in each request') })
    // The protocol's library is loaded by the first request of an agent.
    const { answerMessage } = await import('./protocol.ts')
    const answer = await answerMessage(parts, { ctx, caller, message })
    ctx.status = answer.status
    ctx.set('Cache-Control', 'no-store')
    const type = answer.headers.get('content-type')
    if (type !== null) ctx.type = type
    ctx.body = (await answer.text()) || null
    if (answer.status === 202) ctx.status = 202
  }
  return { path: MCP_PATH, route: MCP_PATH, handle }
}

/**
 * Programs send no Origin. A page of another site that reaches this server through its own name (DNS
 * rebinding) sends one, and is refused before anything else is looked at.
 */
function requireOrigin(ctx: Context, own: string): void {
  const origin = ctx.get('Origin')
  if (origin !== '' && origin !== own) throw new AppError('origin_refused')
}
