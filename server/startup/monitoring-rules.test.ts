// The alert rules and the dashboard of docs/monitoring/ use only metrics and labels that /metrics
// has. Every metric that is new there is in the table of docs/operators.md.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../test/app.ts'
import {
  blobFindings,
  poolWaits,
  sweeps,
  tokenFailures,
  type RunningTotals,
} from '../core/totals.ts'

const DOCS = path.resolve(import.meta.dirname, '../../docs')
const read = (file: string) => readFile(path.join(DOCS, file), 'utf8')

let app: TestApp
let text: string
beforeAll(async () => {
  app = await openTestApp()
  const totals: RunningTotals[] = [tokenFailures, blobFindings]
  totals.push(poolWaits.count, poolWaits.seconds, sweeps.ended, sweeps.failed, sweeps.seconds)
  for (const each of totals) each.add('test')
  text = await (await fetch(`${app.url}/metrics`)).text()
})
afterAll(() => app.close())

const namesIn = (source: string) =>
  new Set(source.match(/\b(?:stevedore|process|nodejs)_[a-z_]+\b/g))

it.each(['alerts.yml', 'dashboard.json'])('%s', async (file) => {
  const source = await read(`monitoring/${file}`)
  const used = namesIn(source)
  expect(used.size).toBeGreaterThan(10)
  const served = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))
  const missing = [...used].filter((name) => !served.has(name.replace(/_bucket$/, '')))
  expect(missing).toEqual([])
  for (const [, name, selector] of source.matchAll(/(stevedore_\w+)\{(\w+)/g)) {
    const series = text.split('\n').filter((line) => line.startsWith(`${name}{`))
    for (const line of series) expect(line).toContain(`${selector}="`)
  }
})

it('counters begin with 0, so that their first increase is seen', () => {
  for (const series of [
    'stevedore_blob_findings_total{found="missing"}',
    'stevedore_token_failures_total{code="invalid_client"}',
    'stevedore_pool_waits_total{pool="plain"}',
    'stevedore_bodies_refused_total{reason="share"}',
  ])
    expect(text).toContain(`\n${series} `)
})

it('the table of metrics is complete', async () => {
  const described = namesIn(await read('operators.md'))
  const served = [...text.matchAll(/^# TYPE (stevedore_\w+) /gm)].map(([, name]) => name!)
  expect(served.filter((name) => !described.has(name))).toEqual([])
})
