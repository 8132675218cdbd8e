// OpenTelemetry's standard variables. The exporter itself reads those of the collector
// (OTEL_EXPORTER_OTLP_…), and OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
import type { EnvironmentVariables, Role } from './environment-schema.ts'

export interface TracingSettings {
  exporter: 'otlp' | 'console'
  sampler: {
    kind: 'always_on' | 'always_off' | 'traceidratio'
    /** The part of traces that is sent, for `traceidratio`. */
    ratio: number
    /** A request that comes with a trace is sent as its sender decided. */
    followsParent: boolean
  }
  /**
   * Requests continue the trace of their header `traceparent`. Off by default: any client can send
   * one.
   */
  continuesRequests: boolean
  /** The time between two deliveries. */
  delayMs: number
  roles: readonly Role[]
}

/** Null: tracing is off, as it is without a variable that asks for it. */
export function tracingOf(env: EnvironmentVariables, problems: string[]): TracingSettings | null {
  const { OTEL_TRACES_EXPORTER: exporter = namesCollector(env) ? 'otlp' : 'none' } = env
  if (env.OTEL_SDK_DISABLED || exporter === 'none') return null
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL
  if (exporter === 'otlp' && protocol !== undefined && protocol !== 'http/protobuf')
    problems.push(
      'OTEL_EXPORTER_OTLP_PROTOCOL: set http/protobuf, which collectors accept on port 4318',
    )
  const [, parent, kind] = /^(parentbased_)?(\w+)$/.exec(env.OTEL_TRACES_SAMPLER) ?? []
  return {
    exporter,
    sampler: {
      kind: kind as TracingSettings['sampler']['kind'],
      ratio: env.OTEL_TRACES_SAMPLER_ARG,
      followsParent: parent !== undefined,
    },
    continuesRequests: env.OTEL_PROPAGATORS.includes('tracecontext'),
    delayMs: env.OTEL_BSP_SCHEDULE_DELAY,
    roles: env.ROLE,
  }
}

const namesCollector = (env: EnvironmentVariables) =>
  (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined
