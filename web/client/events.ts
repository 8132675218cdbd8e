// Server-sent events read with fetch, since the browser's own reader can't send the session token.
import { callForText } from './client.ts'
import { ApiError } from './error.ts'

export interface ServerEvent {
  name: string
  data: string
}

/**
 * Cuts a stream of text into events. Give it the pieces as they come; it gives the events that are
 * complete.
 */
export function eventCutter(): (piece: string) => ServerEvent[] {
  let rest = ''
  return (piece) => {
    // A piece that ends between CR and LF is cut when the LF has come.
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
  /** Whether events come at present: while they don't, what they tell of must be asked for. */
  onLive: (live: boolean) => void
  /** The name of the event after which there is nothing more to come. */
  last: string
  signal: AbortSignal
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/**
 * Follows a stream until its last event, connecting again, later each time, when it breaks off.
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
      // What is refused now is refused the next time too.
      if (error instanceof ApiError && error.status >= 400 && !error.passing) return
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
