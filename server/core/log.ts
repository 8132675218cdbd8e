// Structured logs, one JSON object per line. Only fields of the types below are written, and only
// those that the caller names. Tokens, keys and URLs' query strings must not be logged.

import { traceFields } from './tracing.ts'

/** Fields of a log line, except its own, which would overwrite its time, level or message. */
export type LogFields = Record<string, string | number | boolean | null | undefined> & {
  time?: never
  level?: never
  message?: never
}
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

interface LogLine {
  time: string
  level: LogLevel
  message: string
  [field: string]: LogFields[string]
}

/** A line for people at a terminal: `warn  the mail server refused it (host mail.example.com)`. */
export function plainLine({ time: _, level, message, ...fields }: LogLine): string {
  const told = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${String(value)}`)
  return `${level.padEnd(5)} ${message}${told.length > 0 ? ` (${told.join(', ')})` : ''}`
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/**
 * Logs at `least` and above to `write`; by default to standard error, so that standard output is
 * for people.
 */
export function createLogger(
  least: LogLevel,
  write: (line: string) => void = (line) => process.stderr.write(line),
  form: (line: LogLine) => string = JSON.stringify,
): Logger {
  const at = (level: LogLevel) =>
    LEVELS.indexOf(level) < LEVELS.indexOf(least)
      ? () => {}
      : (message: string, fields: LogFields = {}) =>
          write(
            form({
              time: new Date().toISOString(),
              level,
              message,
              ...traceFields(),
              ...fields,
            }) + '\n',
          )
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/**
 * The fields of an unknown error that may be logged: its message and stack, without properties that
 * libraries add.
 */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) }
  return { error: error.message, stack: error.stack ?? null }
}
