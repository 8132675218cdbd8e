import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readEnvironment } from '../core/configuration/environment.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const settingsOf = (variables: Record<string, string>) => readEnvironment(variables).tracing
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

test('is off without a variable that asks for it, and with one that forbids it', () => {
  expect(settingsOf({})).toBe(null)
  expect(settingsOf({ OTEL_SERVICE_NAME: 'files' })).toBe(null)
  expect(settingsOf({ ...COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' })).toBe(null)
  expect(settingsOf({ ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' })).toBe(null)
  expect(settingsOf({ OTEL_TRACES_EXPORTER: 'console' })?.exporter).toBe('console')
  expect(settingsOf(COLLECTOR)).toEqual({
    exporter: 'otlp',
    sampler: { kind: 'always_on', ratio: 1, followsParent: true },
    continuesRequests: false,
    delayMs: 5000,
    roles: ['web', 'worker', 'drop'],
  })
})

test('reads the sampler, and refuses what it cannot send', () => {
  const sampled = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '.1' }
  expect(settingsOf({ ...COLLECTOR, ...sampled })?.sampler).toEqual({
    kind: 'traceidratio',
    ratio: 0.1,
    followsParent: true,
  })
  const wrong = (variables: Record<string, string>) => () =>
    settingsOf({ ...COLLECTOR, ...variables })
  expect(wrong({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow('set http/protobuf')
  expect(wrong({ OTEL_TRACES_EXPORTER: 'zipkin' })).toThrow('set otlp, console or none')
  expect(wrong({ OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow('set a number from 0 to 1')
  expect(wrong({ OTEL_TRACES_SAMPLER: 'jaeger_remote' })).toThrow('OTEL_TRACES_SAMPLER: set')
})

test('its libraries are loaded by one module, which only a dynamic import loads', () => {
  const sources = globSync('{server,plugins,workflows}/**/*.ts', { cwd: ROOT })
  const importing = (text: RegExp) =>
    sources
      .filter((name) => !name.endsWith('.test.ts'))
      .filter((name) => text.test(readFileSync(path.join(ROOT, name), 'utf8')))
      .sort()
  expect(importing(/from '@opentelemetry\//)).toEqual([
    'server/startup/tracing-sampler.ts',
    'server/startup/tracing.ts',
  ])
  expect(importing(/from '[./\w]*startup\/tracing(-sampler)?\.ts'/)).toEqual([])
  expect(importing(/from '\.\/tracing\.ts'/)).toEqual(['server/core/log.ts'])
  expect(importing(/import\('\.(\/startup)?\/tracing\.ts'\)/)).toEqual([
    'server/start.ts',
    'server/startup/drop.ts',
  ])
})
