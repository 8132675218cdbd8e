// What was noticed in the rows of an export, counted by cause.
import { z } from 'zod'
import { english, type AnyText } from '../../../plugins/contract/index.ts'
import { storedMessage } from '../../core/texts.ts'
import { messageText } from '../../http/schemas.ts'

export interface RowFinding {
  row: number
  /** An error leaves the row, or one of its files, out. */
  severity: 'error' | 'warning'
  message: AnyText
}

const MAX_ROWS = 20

export const findingSchema = z
  .object({
    severity: z.enum(['error', 'warning']),
    message: z.string(),
    message_text: messageText,
    count: z.number().int(),
    rows: z.array(z.number().int()).describe(`The first ${MAX_ROWS} rows`),
  })
  .meta({ id: 'MoveFinding' })

export type Finding = z.output<typeof findingSchema>

/** Errors first, then the most frequent. */
export function groupFindings(findings: readonly RowFinding[]): Finding[] {
  const groups = Map.groupBy(findings, ({ severity, message }) => `${severity} ${english(message)}`)
  return [...groups.values()]
    .flatMap(([first, ...others]) =>
      first
        ? [
            {
              severity: first.severity,
              ...storedMessage(first.message),
              count: others.length + 1,
              rows: [...new Set([first, ...others].map(({ row }) => row))].slice(0, MAX_ROWS),
            },
          ]
        : [],
    )
    .toSorted(
      (a, b) =>
        Number(a.severity === 'warning') - Number(b.severity === 'warning') || b.count - a.count,
    )
}
