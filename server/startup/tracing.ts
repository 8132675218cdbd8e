// Sends spans to an OpenTelemetry collector (OTLP over HTTP). Loaded only if the environment asks
// for it. Its libraries instrument nothing themselves: each span is opened by our code
// (server/core/tracing.ts), so no address, key or text gets into one by accident.
import type { ServerResponse } from 'node:http'
import {
  context,
  defaultTextMapGetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type Tracer as Api,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TracerProvider,
  type IdGenerator,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../core/configuration/tracing-settings.ts'
import type { Logger } from '../core/log.ts'
import { useTracer, type OperationSpan, type SpanOptions, type Tracer } from '../core/tracing.ts'
import { version } from '../ports/user-agent.ts'
import type { CloseStep } from './closing.ts'
import { rootSampler } from './tracing-sampler.ts'

const SEND_WITHIN_MS = 5000
/** A collector that does not answer is logged this often. */
const WARN_EVERY_MS = 60_000

/** @returns what sends the last spans, and switches tracing off. */
export function startTracing(settings: TracingSettings, log: Logger): CloseStep {
  logProblems(log)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const ids = new OperationIds()
  const root = rootSampler(settings.sampler)
  const exporter =
    settings.exporter === 'console' ? new ConsoleSpanExporter() : new OTLPTraceExporter()
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace the first one.
    resource: resourceFromAttributes({
      'service.name': 'stevedore',
      'service.version': version,
      'stevedore.roles': settings.roles.join(','),
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: settings.sampler.followsParent ? new ParentBasedSampler({ root }) : root,
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: settings.delayMs,
        exportTimeoutMillis: SEND_WITHIN_MS,
      }),
    ],
  })
  useTracer(tracerOn(provider.getTracer('stevedore', version), { ids, root, ...settings }))
  log.info('traces are sent', { exporter: settings.exporter })
  return async () => {
    useTracer(null)
    context.disable()
    await provider.shutdown()
    diag.disable()
  }
}

function logProblems(log: Logger): void {
  let warnedAt = -Infinity
  const warn = (message: string) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    log.warn('tracing', { problem: message })
  }
  const none = () => {}
  diag.setLogger(
    { error: warn, warn, info: none, debug: none, verbose: none },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/**
 * An operation's UUID is the id of its trace, and the second half of it the id of its span: so
 * workers that share nothing but the id put their batches into the same trace.
 */
const idsOf = (operation: string) => {
  const traceId = operation.replaceAll('-', '')
  return { traceId, spanId: traceId.slice(16) }
}

/** Random ids, except for the next span if it is that of an operation. */
class OperationIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  #next: { traceId: string; spanId: string } | null = null

  generateTraceId(): string {
    return this.#next?.traceId ?? this.#random.generateTraceId()
  }

  generateSpanId(): string {
    return this.#next?.spanId ?? this.#random.generateSpanId()
  }

  use<T>(operation: string, work: () => T): T {
    this.#next = idsOf(operation)
    try {
      return work()
    } finally {
      this.#next = null
    }
  }
}

interface TracerParts extends Pick<TracingSettings, 'continuesRequests'> {
  ids: OperationIds
  /** Decides for a trace that begins here. */
  root: Sampler
}

const KINDS = { job: SpanKind.CONSUMER, client: SpanKind.CLIENT }

function tracerOn(api: Api, { ids, root, continuesRequests }: TracerParts): Tracer {
  const routes = new WeakMap<ServerResponse, string>()
  const w3c = new W3CTraceContextPropagator()
  const within = (operation: string): Context => {
    const ids = idsOf(operation)
    const { decision } = root.shouldSample(
      ROOT_CONTEXT,
      ids.traceId,
      'operation',
      SpanKind.CONSUMER,
      {},
      [],
    )
    const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED
    const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
    return trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags, isRemote: true })
  }
  const parentOf = ({ kind, operation }: SpanOptions) =>
    operation !== undefined ? within(operation) : kind === 'job' ? ROOT_CONTEXT : context.active()
  return {
    span: async (name, options, work) => {
      const parent = parentOf(options)
      const { kind, begun, fields = {} } = options
      const startTime = begun && { startTime: begun }
      const span = api.startSpan(
        name,
        { kind: KINDS[kind], attributes: fields, ...startTime },
        parent,
      )
      try {
        return await context.with(trace.setSpan(parent, span), work)
      } catch (error) {
        fail(span, codeOf(error))
        throw error
      } finally {
        span.end()
      }
    },
    request: (request, response, method, work) => {
      const parent = continuesRequests
        ? w3c.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
        : ROOT_CONTEXT
      const attributes = { 'http.request.method': method === 'other' ? '_OTHER' : method }
      const span = api.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
      response.once('close', () => endRequest(span, method, response, routes.get(response)))
      context.with(trace.setSpan(parent, span), work)
    },
    setRoute: (response, route) => void routes.set(response, route),
    setFields: (fields) => void trace.getActiveSpan()?.setAttributes(fields),
    operation: (ended) => ids.use(ended.id, () => recordOperation(api, ended)),
    logFields: () => {
      const ids = trace.getActiveSpan()?.spanContext()
      return ids && { trace_id: ids.traceId, span_id: ids.spanId }
    },
  }
}

function endRequest(
  span: Span,
  method: string,
  response: ServerResponse,
  route: string | undefined,
): void {
  const { statusCode } = response
  span.setAttribute('http.response.status_code', statusCode)
  if (route !== undefined) {
    span.updateName(`${method} ${route}`)
    span.setAttribute('http.route', route)
  }
  if (!response.writableFinished) span.setAttribute('stevedore.client_left', true)
  if (statusCode >= 500) fail(span, String(statusCode))
  span.end()
}

function recordOperation(api: Api, { name, begun, failed, fields }: OperationSpan): void {
  const options = { kind: SpanKind.CONSUMER, attributes: fields, startTime: begun }
  const span = api.startSpan(name, options, ROOT_CONTEXT)
  if (failed) fail(span, 'failed')
  span.end()
}

/** Messages of errors may contain names and addresses: only the code is sent. */
function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : error.constructor.name
}
