// Schedules the check of addresses by host, round robin: a few concurrent requests for each. The
// guarded client delays those to a host that limits them.
import { present } from '../../core/lazy.ts'

export interface Host {
  /** Addresses that are still to be requested; the last one is next. */
  waiting: string[]
  running: number
  /** Consecutive failures that concern the host and not one address. */
  failures: number
}

export interface ScheduledRequest {
  host: Host
  url: string
}

export function createHostScheduler(
  urls: readonly string[],
  { concurrency, perHost }: { concurrency: number; perHost: number },
) {
  const hosts = hostsOf(urls)
  let running = 0
  /** Hosts with waiting addresses and room for another request, in order. */
  const ready = new Set(hosts)
  const offer = (host: Host) => {
    if (host.waiting.length > 0 && host.running < perHost) ready.add(host)
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
    /** Moves this address to the end of its host's. */
    again: (host: Host, url: string) => {
      end(host)
      host.waiting.unshift(url)
      offer(host)
    },
    /** Removes all waiting addresses, and returns them. */
    drop: (): string[] => {
      ready.clear()
      return hosts.flatMap(({ waiting }) => waiting.splice(0))
    },
  }
}

function hostsOf(urls: readonly string[]): Host[] {
  const hosts = new Map<string, Host>()
  // Reversed, so that the file's first address is popped first.
  for (const url of urls.toReversed()) {
    const name = URL.parse(url)?.host ?? ''
    const host = hosts.get(name) ?? {
      waiting: [],
      running: 0,
      failures: 0,
    }
    host.waiting.push(url)
    hosts.set(name, host)
  }
  return [...hosts.values()]
}
