// The events of operations: one stream for each operation, for all places that show it. A browser
// opens six connections to a server without HTTP/2. Streams stay open, so a page that opened one
// for each of many operations could send no other request. Further operations are polled.
import { followEvents } from '../../shell/client/events.ts'
import type { Operation } from '../../shell/client/types.ts'

export interface Follower {
  /** Whether events arrive. */
  onLive(live: boolean): void
  onChange(operation: Operation): void
}

interface Stream {
  followers: Set<Follower>
  live: boolean
  end(): void
}

const MAX_STREAMS = 3
const streams = new Map<string, Stream>()

/** Calls the follower until the returned function is called; never, if it must be polled. */
export function followOperation(id: string, follower: Follower): () => void {
  const stream = streams.get(id) ?? open(id)
  if (!stream) return () => {}
  stream.followers.add(follower)
  if (stream.live) follower.onLive(true)
  return () => {
    stream.followers.delete(follower)
    if (stream.followers.size === 0) stream.end()
  }
}

function open(id: string): Stream | null {
  if (streams.size >= MAX_STREAMS) return null
  const leaving = new AbortController()
  const stream: Stream = {
    followers: new Set(),
    live: false,
    end: () => {
      leaving.abort()
      streams.delete(id)
    },
  }
  streams.set(id, stream)
  const each = (call: (follower: Follower) => void) => {
    if (!leaving.signal.aborted) stream.followers.forEach(call)
  }
  void followEvents(`/api/operations/${id}/events`, {
    last: 'end',
    signal: leaving.signal,
    onLive: (live) => {
      stream.live = live
      each((follower) => follower.onLive(live))
    },
    onEvent: ({ data }) => {
      const operation = JSON.parse(data) as Operation
      each((follower) => follower.onChange(operation))
    },
  })
  return stream
}
