// Tells the server each minute which batches this tab still sends, also while they are paused. It ends
// the import of a batch that it does not hear of for five minutes.
const BEAT_MS = 60_000

/**
 * Returns the function that takes the batches with files on their way. `beat` is called for each of
 * them once a minute.
 */
export function createHeartbeat(beat: (batch: string) => void): (batches: Set<string>) => void {
  let sent: ReadonlySet<string> = new Set()
  let timer: ReturnType<typeof setInterval> | undefined
  return (batches) => {
    sent = batches
    if (batches.size > 0) timer ??= setInterval(() => sent.forEach(beat), BEAT_MS)
    else {
      clearInterval(timer)
      timer = undefined
    }
  }
}
