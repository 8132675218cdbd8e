// The samplers that OTEL_TRACES_SAMPLER names, for traces that begin here.
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../core/configuration/tracing-settings.ts'

export function rootSampler({ kind, ratio }: TracingSettings['sampler']): Sampler {
  if (kind === 'always_off') return new AlwaysOffSampler()
  return kind === 'always_on' ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio)
}
