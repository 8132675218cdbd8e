// Starts workflows of the platform's automation (Flow) that begin with one of the app's triggers.
import type { AnyText } from '../../plugins/contract/index.ts'
import { MUTATION_POINTS, type AdminRequest } from './admin-api.ts'
import { FLOW_TRIGGER } from './operations.ts'
import { PlatformRefusal } from './platform-failures.ts'

/** `refused`: a further attempt would not help, for example because the shop's plan lacks Flow. */
export type TriggerResult = { sent: true } | { refused: AnyText }

/**
 * Throws `PortError` if the platform cannot be reached.
 * @param handle the extension's handle, in web/extensions.
 */
export type SendTrigger = (
  trigger: { handle: string; payload: object },
  signal: AbortSignal,
) => Promise<TriggerResult>

export const createTriggers =
  (request: AdminRequest): SendTrigger =>
  async ({ handle, payload }, signal) => {
    try {
      const variables = { handle, payload }
      const { flowTriggerReceive } = await request<{
        flowTriggerReceive: { userErrors: { message: string }[] } | null
      }>(FLOW_TRIGGER, variables, MUTATION_POINTS, signal)
      const [objection] = flowTriggerReceive?.userErrors ?? []
      return objection ? { refused: objection.message } : { sent: true }
    } catch (error) {
      if (error instanceof PlatformRefusal) return { refused: error.texts.message }
      throw error
    }
  }
