import { errorFields, type Logger } from '../core/log.ts'

/** Stops or closes something: called when the start fails, and when the server stops. */
export type CloseStep = () => Promise<unknown>

/** Empties `closings`, the newest first. One that fails is logged and does not stop the others. */
export async function closeAll(closings: CloseStep[], log: Logger): Promise<void> {
  for (let close = closings.pop(); close; close = closings.pop())
    await close().catch((error: unknown) => log.warn('stopping', errorFields(error)))
}
