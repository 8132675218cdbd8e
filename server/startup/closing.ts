import { errorFields, type Logger } from '../core/log.ts'

/** Stops or closes something: called when the start fails, and when the server stops. */
export type Closing = () => Promise<unknown>

/** Empties `closings`, the newest first. One that fails is logged and does not stop the others. */
export async function closeAll(closings: Closing[], log: Logger): Promise<void> {
  for (let close = closings.pop(); close; close = closings.pop())
    await close().catch((error: unknown) => log.warn('stopping', errorFields(error)))
}
