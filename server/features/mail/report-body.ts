// What the readers of reports have in common.
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../core/errors.ts'
import type { MailReport } from './reports.ts'

export interface ReportRequest {
  headers: IncomingMessage['headers']
  body: Buffer
  now: Date
}

/** Throws `unauthenticated` and `malformed_request`. */
export type ReadReports = (request: ReportRequest) => Promise<MailReport[]>

/** Throws `malformed_request`. */
export function jsonOf(body: Buffer | string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>
  } catch {
    // Answered below.
  }
  throw new AppError('malformed_request')
}

/** The enhanced status code in a text, like `5.1.1` (RFC 3463); null: it has none. */
export const statusCodeIn = (text: string): string | null =>
  /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(text)?.[0] ?? null
