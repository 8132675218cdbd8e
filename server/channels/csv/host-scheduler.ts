// Addresses by their hosts, which take turns: each has room for a few requests at once, and one that is to be left alone has none.

export interface Host {
  /** Addresses that are still to be asked; the last one is next. */
  waiting: string[]
  running: number
  /** How many requests it may have at once. */
  room: number
  /** Failures in a row that say nothing about a single address. */
  failures: number
  /** How often in a row it has asked to be left alone. */
  rests: number
  /** It is left alone. */
  resting: NodeJS.Timeout | null
}

/** Whom to ask for what. */
export interface ScheduledRequest {
  host: Host
  url: string
}

/** `wake` is called when a host may be asked again. */
export function createHostScheduler(
  urls: readonly string[],
  { at_once, at_once_per_host }: { at_once: number; at_once_per_host: number },
  wake: () => void,
) {
  const hosts = hostsOf(urls, at_once_per_host)
  let running = 0
  /** Those that have addresses left and room for another request, in their turn. */
  const ready = new Set(hosts)
  const offer = (host: Host) => {
    if (host.waiting.length > 0 && host.running < host.room && host.resting === null) ready.add(host)
  }
  const end = (host: Host) => {
    running--
    host.running--
  }
  return {
    /** Null: nobody is to be asked for now. */
    next: (): ScheduledRequest | null => {
      const [host] = ready
      if (!host || running === at_once) return null
      ready.delete(host)
      running++
      host.running++
      const url = host.waiting.pop()!
      offer(host)
      return { host, url }
    },
    ended: (host: Host) => {
      end(host)
      offer(host)
    },
    /** The host is left alone for so many milliseconds, and asked for this address after all the others. */
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
    /** Gives the addresses that nobody is asked for any more. */
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
  // From the end, so that the first of the file is the first to be popped.
  for (const url of urls.toReversed()) {
    const name = URL.parse(url)?.host ?? ''
    const host = hosts.get(name) ?? { waiting: [], running: 0, room, failures: 0, rests: 0, resting: null }
    host.waiting.push(url)
    hosts.set(name, host)
  }
  return [...hosts.values()]
}
