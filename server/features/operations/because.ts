// Why an operation runs: who asked for it, or which time, event, hook or source of imports started it.
import { z } from 'zod'
import { toOperationId } from '../../core/ids.ts'
import type { LeadingOperation, OperationRow } from '../../engine/types.ts'
import { givenSource, sourceSchema } from '../workflows/sources.ts'

const started = {
  kind: z
    .enum(['request', 'times', 'event', 'hook', 'imports', 'if_not'])
    .describe(
      '`request`: `requested_by` asked for it. `times`: the scheduled task `schedule_id` was due. `event`: files of an event. `hook`: a program called the address of the workflow. `imports`: the workflow is for imports of a source. `if_not`: another workflow, the last of `led_by`, runs it on its failed files',
    ),
  event: z.string().nullable().describe('Of `event`: its name'),
  from: sourceSchema.nullable().describe('Of `imports`: the source'),
  from_name: z.string().nullable().describe('The name of the account, connection or key'),
}

export const becauseSchema = z
  .object({
    ...started,
    count: z.number().int().describe('How many events or calls it took'),
    led_by: z
      .array(z.object({ operation_id: z.string(), title: z.string(), ...started }))
      .describe(
        'The operations whose events or failures led to it, first to last, each with what started it',
      ),
  })
  .meta({ id: 'Because' })

type Because = z.output<typeof becauseSchema>

export const becauseOf = (
  operation: Pick<OperationRow, 'cause' | 'led_by' | 'schedule_id' | 'requested_by'>,
): Because => ({
  ...startedBy(operation),
  count: operation.cause?.count ?? 0,
  led_by: (operation.led_by ?? []).map((leading) => ({
    operation_id: toOperationId(leading.kind, leading.id),
    title: leading.title,
    ...startedBy(leading),
  })),
})

const startedBy = ({
  cause,
  schedule_id,
  requested_by,
}: Pick<LeadingOperation, 'cause' | 'schedule_id' | 'requested_by'>) => ({
  kind:
    cause?.kind ?? (isDue(schedule_id, requested_by) ? ('times' as const) : ('request' as const)),
  event: cause?.event ?? null,
  from: cause?.source === undefined ? null : givenSource(cause.source),
  from_name: cause?.name ?? null,
})

/** Otherwise a person has run the scheduled task now. */
const isDue = (schedule: string | null, requestedBy: string): boolean =>
  schedule !== null && requestedBy.startsWith('schedule ')
