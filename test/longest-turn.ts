// How long this thread computes between two turns of the event loop: in that time no other request is
// answered. Processor time of the thread, which other programs on the machine do not change.

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Runs the work; returns its result and the longest turn, in milliseconds. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  let [last, ms] = [cpuMs(), 0]
  let next: NodeJS.Immediate
  const turn = () => {
    const now = cpuMs()
    ms = Math.max(ms, now - last)
    last = now
    next = setImmediate(turn)
  }
  next = setImmediate(turn)
  try {
    const result = await work()
    return { result, ms: Math.max(ms, cpuMs() - last) }
  } finally {
    clearImmediate(next)
  }
}
