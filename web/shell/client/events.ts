// Server-sent events read with fetch, since the browser's own reader cannot send the session token.
import { callForText } from './client.ts'
import { ApiError } from './error.ts'

interface ServerEvent {
  name: string
  data: string
}

/**
 * Splits a stream of text into events. Call it with each piece; it returns the events that are
 * complete.
 */
export function eventCutter(): (piece: string) => ServerEvent[] {
  let rest = ''
  return (piece) => {
    // If a piece ends between CR and LF, wait for the LF.
    const text = (rest + piece).replaceAll('\r\n', '\n')
    const blocks = text.split('\n\n')
    rest = blocks.pop()!
    return blocks.map(eventOf).filter((event) => event !== null)
  }
}

function eventOf(block: string): ServerEvent | null {
  let name = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'event') name = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? null : { name, data: data.join('\n') }
}

interface Follower {
  onEvent: (event: ServerEvent) => void
  /** Called when events start or stop arriving: while they do not arrive, the caller must poll. */
  onLive: (live: boolean) => void
  /** The name of the last event of the stream. */
  last: string
  signal: AbortSignal
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/**
 * Follows a stream until its last event; reconnects after an interruption, with growing delays.
 * Never throws.
 */
export async function followEvents(
  path: string,
  { onEvent, onLive, last, signal }: Follower,
): Promise<void> {
  let wait = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      const cut = eventCutter()
      for await (const piece of callForText(path, { signal, accept: 'text/event-stream' })) {
        onLive(true)
        wait = FIRST_WAIT_MS
        for (const event of cut(piece)) {
          onEvent(event)
          if (event.name === last) return
        }
      }
    } catch (error) {
      // A refusal would be repeated; an error of the server may pass.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && !error.passing)
        return
    } finally {
      onLive(false)
    }
    await pause(wait, signal)
    wait = Math.min(LONGEST_WAIT_MS, wait * 2)
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
