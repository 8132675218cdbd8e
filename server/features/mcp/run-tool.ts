// Runs a tool as its caller: through the endpoints of the API, with their scopes, checks and limits. A tool
// that reads gets GET endpoints alone, and a plan is always sent with `dry_run`.
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from 'koa'
import { present } from '../../core/lazy.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { requireScopes, type Caller, type Endpoint } from '../../http/endpoint.ts'
import { callEndpoint, type RateLimiter } from '../../http/router.ts'
import { validate } from '../../http/validate.ts'
import { operationAnswer, operationPage } from './operation-answer.ts'
import { operationOfPlan, planIdOf } from './plan-id.ts'
import type { Json, Read, Tool } from './tool.ts'

export interface ToolParts {
  endpoints: readonly Endpoint[]
  rateLimiter: RateLimiter
  secrets: Secrets
  baseUrl: string
  log: Logger
}

interface ToolCall {
  ctx: Context
  caller: Caller
  args: Json
  signal: AbortSignal
}

/** Seconds that a plan and a confirmation wait: clients give up after a minute. */
const WAIT_SECONDS = 20
const FIRST_FILES = { limit: 20 }
const MOVING: ReadonlySet<unknown> = new Set(['previewing', 'queued', 'running'])

/** Throws `AppError`: what is wrong with the arguments, and what the endpoints throw. */
export async function runTool(tool: Tool, parts: ToolParts, call: ToolCall): Promise<Json> {
  const { caller, ctx } = call
  validate(tool.input, call.args)
  const read: Read = (path, asked) => request(parts, call, { method: 'get', path, ...asked })
  const context = {
    read,
    settled: (id: string, seconds: number) => settled(read, id, { seconds, signal: call.signal }),
    baseUrl: parts.baseUrl,
    scopes: caller.scopes,
  }
  if (tool.kind === 'read') return tool.answer(call.args, context)
  await parts.rateLimiter.count(ctx, caller, { method: 'post' })
  // Its answer shows the operation.
  requireScopes(caller, ['operations:read'])
  if (tool.kind === 'confirm') {
    const id = operationOfPlan(parts.secrets, caller, String(call.args['plan_id']))
    const path = '/api/operations/{id}/confirm'
    await request(parts, call, { method: 'post', path, params: { id } })
    return operationAnswer(context, await context.settled(id, WAIT_SECONDS), FIRST_FILES)
  }
  const { body, ...planned } = tool.plan(call.args)
  const preview = { method: 'post' as const, ...planned, body: { ...body, dry_run: true } }
  const made = await request(parts, call, preview)
  const id = String(made['id'] ?? made['job_id'])
  const operation = await context.settled(id, WAIT_SECONDS)
  const { status } = operation
  const isPlan = status === 'previewing' || status === 'previewed'
  return {
    plan_id: isPlan ? planIdOf(parts.secrets, caller, id) : null,
    next: isPlan
      ? `Nothing was changed. Show the plan to a person. confirm_plan makes the changes, or a person does it at ${operationPage(parts.baseUrl, id)}`
      : 'This cannot be done: see operation.stopped',
    ...(await operationAnswer(context, operation, FIRST_FILES)),
  }
}

interface Asked {
  method: 'get' | 'post'
  path: string
  params?: Json
  query?: Json
  body?: Json
}

async function request(
  { endpoints }: ToolParts,
  { caller, ctx, signal }: ToolCall,
  { method, path, ...given }: Asked,
): Promise<Json> {
  const found = endpoints.find((one) => one.method === method && one.path === path)
  const endpoint = present(found, `The endpoint ${method} ${path}`)
  return (await callEndpoint(endpoint, { caller, ctx, signal, ...given })) as Json
}

/** Reads an operation until nothing moves it, for some seconds at most. */
async function settled(
  read: Read,
  id: string,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<Json> {
  const until = performance.now() + seconds * 1000
  for (let ms = 100; ; ms = Math.min(1000, ms * 1.5)) {
    const operation = await read('/api/operations/{id}', { params: { id } })
    if (!MOVING.has(operation['status']) || performance.now() + ms > until || signal.aborted)
      return operation
    await pause(ms, undefined, { signal }).catch(() => {})
  }
}
