// Webhooks of the demo platform, sent as the real one sends them: signed over the raw body,
// repeated until the answer is 200, some of them twice, and not always in the order of the events.
import { createHmac, randomInt, randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import type { DemoApp } from '../app.ts'

export interface WebhookSender {
  /** Resolves after the first attempt; further attempts follow in the background. */
  send(topic: string, body: object): Promise<void>
  close(): void
}

/** Milliseconds before each further attempt: the platform repeats for four hours. */
const RETRIES = [500, 2000, 10_000, 60_000, 600_000, 1_800_000, 3_600_000, 7_200_000]
const TIMEOUT_MS = 5000
/** The percentage of webhooks that are sent twice. */
const DUPLICATES = 20
const DUPLICATE_WITHIN_MS = 1500

/** @param address of the app's webhooks. */
export function createWebhookSender(app: DemoApp, address: string): WebhookSender {
  const timers = new Set<NodeJS.Timeout>()
  const closing = new AbortController()
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS } })
  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms).unref()
    timers.add(timer)
  }
  const post = async (headers: Record<string, string>, body: string): Promise<boolean> => {
    const answer = await request(address, {
      method: 'POST' as const,
      body,
      headers,
      dispatcher: agent,
      signal: closing.signal,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    })
    await answer.body.dump()
    return answer.statusCode === 200
  }
  const attempt = async (headers: Record<string, string>, body: string, retries: number) => {
    const taken = await post(headers, body).catch(() => false)
    const pause = RETRIES[retries]
    if (taken || closing.signal.aborted || pause === undefined) return
    later(pause, () => void attempt(headers, body, retries + 1))
  }
  return {
    send: async (topic, content) => {
      const body = JSON.stringify(content)
      const headers = {
        'content-type': 'application/json',
        'x-shopify-topic': topic,
        'x-shopify-shop-domain': app.shopDomain,
        'x-shopify-api-version': '2026-10',
        'x-shopify-webhook-id': randomUUID(),
        'x-shopify-event-id': randomUUID(),
        'x-shopify-triggered-at': new Date().toISOString(),
        'x-shopify-hmac-sha256': createHmac('sha256', app.apiSecret).update(body).digest('base64'),
      }
      if (randomInt(100) < DUPLICATES)
        later(randomInt(DUPLICATE_WITHIN_MS), () => void attempt(headers, body, RETRIES.length))
      await attempt(headers, body, 0)
    },
    close: () => {
      closing.abort()
      void agent.destroy()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
