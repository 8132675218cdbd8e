// OpenTelemetry: the spans of requests, batches, operations and fetches reach a collector, and
// contain nothing of merchants and buyers.
import { onTestFinished, expect, test } from 'vitest'
import { startCollector, type Collector, type ReceivedSpan } from '../fakes/collector.ts'
import { startOrigin } from '../fakes/origin.ts'
import { importUntilEnd } from './imports.ts'
import { removeDataDir, startServer, type ServerProcess } from './server.ts'
import { soakTest } from '../scale.ts'

/** A server that is stopped after the test, which sends its last spans. */
async function startTraced(env: Record<string, string>): Promise<ServerProcess> {
  const server = await startServer({ env })
  onTestFinished(async () => {
    await server.stop()
    await removeDataDir(server.dataDir)
  })
  return server
}

async function openCollector(): Promise<Collector> {
  const collector = await startCollector()
  onTestFinished(() => collector.close())
  return collector
}

interface Line {
  message: string
  trace_id?: string
  route?: string
}
const linesOf = (server: ServerProcess): Line[] =>
  server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))

const SERVER = 2
const CLIENT = 3

test('requests, batches, operations and fetches are spans without contents', async () => {
  const collector = await openCollector()
  const origin = await startOrigin()
  onTestFinished(() => origin.close())
  const server = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=harbour',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_SERVICE_NAME: 'files',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    ACCESS_LOG: '1',
  })
  const { spans } = collector
  const find = (wanted: Partial<ReceivedSpan>) =>
    spans.filter((span) => Object.entries(wanted).every(([k, v]) => span[k as 'name'] === v))

  const address = `${origin.url}/bytes/3000/canary-name?token=canary-query`
  const { job_id } = await importUntilEnd(server, {
    files: [{ filename: 'Canary plan.epub', url: address }],
  })
  const refused = { files: [{ filename: 'Gone.epub', url: `${origin.url}/nothing` }] }
  await importUntilEnd(server, refused)
  const made = await server.call('POST', '/api/links', {
    file_ids: [String((await filesOf(server))[0])],
    download_limit: null,
  })
  expect(made.status).toBe(201)
  const { data } = (await made.json()) as { data: { url: string }[] }
  await server.call('GET', '/api/links?search=canary%40example.com')
  const forged = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` }
  await (await fetch(String(data[0]?.url), { headers: forged })).arrayBuffer()

  // The trace of the operation: its id is the operation's.
  const trace = job_id.split('_')[1]!
  await expect.poll(() => find({ name: 'operation import', trace })).toHaveLength(1)
  const [operation] = find({ name: 'operation import', trace })
  expect(operation).toMatchObject({
    parent: '',
    failed: false,
    fields: { 'stevedore.status': 'success', 'stevedore.items': 1 },
    resource: {
      'service.name': 'files',
      'deployment.environment.name': 'test',
      'stevedore.roles': 'web,worker',
    },
  })
  await expect.poll(() => find({ name: 'finish', trace }).length).toBeGreaterThan(0)
  const [batch] = find({ name: 'batch', trace })
  expect(batch?.parent).toBe(operation?.span)
  expect(batch!.begun).toBeGreaterThanOrEqual(operation!.begun)
  const fetched = find({ name: 'fetch GET', trace })[0]
  expect(fetched).toMatchObject({
    kind: CLIENT,
    fields: { 'http.request.method': 'GET', 'http.response.status_code': 200 },
  })
  expect(fetched!.ended).toBeGreaterThan(fetched!.begun)

  // The requests, by their routes.
  await expect.poll(() => find({ name: 'GET /download' })).toHaveLength(1)
  const [download] = find({ name: 'GET /download' })
  expect(download).toMatchObject({
    kind: SERVER,
    parent: '',
    failed: false,
    fields: { 'http.route': '/download', 'http.response.status_code': 200 },
  })
  // Anyone could send that header.
  expect(download?.trace).not.toBe('ab'.repeat(16))
  expect(find({ name: 'POST /api/links' })[0]?.fields['http.response.status_code']).toBe(201)
  // The platform, and background work.
  await expect.poll(() => spans.some(({ name }) => name.startsWith('storefront '))).toBe(true)
  await expect.poll(() => spans.some(({ name }) => name.startsWith('task '))).toBe(true)
  // A line of the log has the trace of its request.
  const line = linesOf(server).find(({ route }) => route === '/download')
  expect(line?.trace_id).toBe(download?.trace)

  const { length } = collector.headers
  expect(collector.headers[length - 1]).toMatchObject({
    'x-tenant': 'harbour',
    'content-type': 'application/x-protobuf',
  })
  await server.stop()
  const key = String(new URL(String(data[0]?.url)).searchParams.get('key'))
  const sent = JSON.stringify(spans.map(({ name, fields, resource }) => [name, fields, resource]))
  for (const secret of ['anary', key, server.apiKey, '@', '127.0.0.1', origin.url])
    expect(sent).not.toContain(secret)
})

const filesOf = async (server: ServerProcess) => {
  const reply = await server.call('GET', '/api/files?limit=1')
  return ((await reply.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
}

soakTest(
  'a proxy’s trace is continued if it is asked for, and a collector may be away',
  async () => {
    const collector = await openCollector()
    const server = await startTraced({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_PROPAGATORS: 'tracecontext',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    })
    collector.refuse(true)
    const asked = (trace: string) =>
      server.call('GET', '/api/files', undefined, {
        traceparent: `00-${trace}-${'cd'.repeat(8)}-01`,
      })
    expect((await asked('12'.repeat(16))).status).toBe(200)
    collector.refuse(false)
    await expect
      .poll(async () => {
        await asked('34'.repeat(16))
        return collector.spans.some(({ trace }) => trace === '34'.repeat(16))
      })
      .toBe(true)
    // Nothing else: traces that begin here are not sampled.
    for (const span of collector.spans) expect(span.parent).toBe('cd'.repeat(8))
  },
)
