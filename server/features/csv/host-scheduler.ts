// Schedules requests to addresses by host, round robin: a few concurrent requests for each, and
// none for a resting host.
import { present } from '../../core/present.ts'

export interface Host {
  /** Addresses that are still to be requested; the last one is next. */
  waiting: string[]
  running: number
  /** The maximum number of concurrent requests. */
  room: number
  /** Consecutive failures that concern the host and not one address. */
  failures: number
  /** How many times in a row the host has asked for fewer requests. */
  rests: number
  /** The timer that ends a pause; set while the host gets no requests. */
  resting: NodeJS.Timeout | null
}

export interface ScheduledRequest {
  host: Host
  url: string
}

/** `wake` is called when a host may be requested again. */
export function createHostScheduler(
  urls: readonly string[],
  { concurrency, perHost }: { concurrency: number; perHost: number },
  wake: () => void,
) {
  const hosts = hostsOf(urls, perHost)
  let running = 0
  /** Hosts with waiting addresses and room for another request, in order. */
  const ready = new Set(hosts)
  const offer = (host: Host) => {
    if (host.waiting.length > 0 && host.running < host.room && host.resting === null)
      ready.add(host)
  }
  const end = (host: Host) => {
    running--
    host.running--
  }
  return {
    /** Takes the next request; null: no host can take one now. */
    next: (): ScheduledRequest | null => {
      const [host] = ready
      if (!host || running === concurrency) return null
      ready.delete(host)
      running++
      host.running++
      const url = present(host.waiting.pop(), 'The address of a ready host')
      offer(host)
      return { host, url }
    },
    ended: (host: Host) => {
      end(host)
      offer(host)
    },
    /** Sends the host no requests for `ms`, and moves this address to its end. */
    rest: (host: Host, url: string, ms: number) => {
      end(host)
      host.waiting.unshift(url)
      ready.delete(host)
      host.resting ??= setTimeout(() => {
        host.resting = null
        offer(host)
        wake()
      }, ms)
    },
    /** Removes all waiting addresses, and returns them. */
    drop: (): string[] => {
      ready.clear()
      return hosts.flatMap(({ waiting }) => waiting.splice(0))
    },
    close: () => {
      for (const { resting } of hosts) if (resting) clearTimeout(resting)
    },
  }
}

function hostsOf(urls: readonly string[], room: number): Host[] {
  const hosts = new Map<string, Host>()
  // Reversed, so that the file's first address is popped first.
  for (const url of urls.toReversed()) {
    const name = URL.parse(url)?.host ?? ''
    const host = hosts.get(name) ?? {
      waiting: [],
      running: 0,
      room,
      failures: 0,
      rests: 0,
      resting: null,
    }
    host.waiting.push(url)
    hosts.set(name, host)
  }
  return [...hosts.values()]
}
