// Spans of this process's work, for OpenTelemetry. While tracing is off, no library is loaded and
// each function below only runs what it is given. server/startup/tracing.ts switches it on.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Attributes of a span. Never addresses, names, keys or texts of merchants and buyers. */
export type SpanFields = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** `job`: begins a trace. `client`: a request to another system. */
  kind: 'job' | 'client'
  /** The UUID of the operation to whose trace the span belongs; absent: a separate trace. */
  operation?: string
  /** When it began, if that was earlier. */
  begun?: Date
  fields?: SpanFields
}

export interface OperationSpan {
  /** Its UUID. */
  id: string
  name: string
  begun: Date
  failed: boolean
  fields: SpanFields
}

export interface Tracer {
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>
  /** The span of a request that this server answers. It ends when the response is closed. */
  request(
    request: IncomingMessage,
    response: ServerResponse,
    method: string,
    work: () => void,
  ): void
  setRoute(response: ServerResponse, route: string): void
  setFields(fields: SpanFields): void
  operation(span: OperationSpan): void
  /** The fields of a log line that is written now. */
  logFields(): { trace_id: string; span_id: string } | undefined
}

let tracer: Tracer | null = null

/** Null: off, as at the start. */
export const useTracer = (used: Tracer | null): void => void (tracer = used)

/** Runs `work` in a span, which records its duration, and the code of the error if it throws. */
export const traced = <T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> =>
  tracer ? tracer.span(name, options, work) : work()

export const tracedRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  method: string,
  work: () => void,
): void => (tracer ? tracer.request(request, response, method, work) : work())

/** `route`: as in the API document. */
export const setTracedRoute = (response: ServerResponse, route: string): void =>
  tracer?.setRoute(response, route)

/** Adds fields to the span that is running. */
export const setSpanFields = (fields: SpanFields): void => tracer?.setFields(fields)

/** An operation that has ended: the parent of the spans of all its batches, on any machine. */
export const traceOperation = (span: OperationSpan): void => tracer?.operation(span)

/** The ids of the running span, for a log line. */
export const traceFields = (): { trace_id: string; span_id: string } | undefined =>
  tracer?.logFields()
