// Starts the web and worker roles, and the drop server as a child if its role is requested.
// compose.ts connects the parts.
import { setTimeout as delay } from 'node:timers/promises'
import { composeServer, type ComposeOptions, type ComposedServer } from './compose.ts'
import type { CloseStep } from './startup/closing.ts'
import type { Config } from './startup/config.ts'
import { startWorker } from './engine/worker.ts'
import type { DropAddress } from './core/configuration/drop-settings.ts'
import { forShop } from './core/db/for-shop.ts'
import type { Environment } from './core/configuration/environment.ts'
import { operationRecord } from './features/operations/record.ts'
import { builtPage, developmentPage, type PageSource } from './http/page.ts'
import { errorFields, type Logger } from './core/log.ts'
import { WholeBlobs } from './files/whole-blobs.ts'
import { openOutbox } from './startup/outbox.ts'
import { allMetrics } from './features.ts'
import { clearPlans } from './features/settings/shop-plan.ts'
import { backgroundTasks } from './startup/background.ts'
import { openForStart } from './startup/database.ts'
import { prepareDemo, welcome, type Demo } from './startup/demo.ts'
import { createEntrance, type Entrance } from './startup/app.ts'
import { startDropChild } from './startup/drop-child.ts'
import { startMonitoring } from './startup/monitoring.ts'
import { commandIn, ensurePage } from './startup/page.ts'
import type { DemoPlatform } from './storefront/storefront.ts'
import { present } from './core/lazy.ts'
import { stagingFolders } from './startup/staging-metrics.ts'
import { stateGauges } from './startup/state-gauges.ts'

export interface StartOptions {
  /** Receives what must be stopped as it starts, so that a failed start stops it too. */
  closings: CloseStep[]
  /** Writes text for people: the welcome of demo mode. */
  print: (text: string) => void
  /** Serves the page from its sources. */
  development?: boolean
  /** Fills the demo shop with many files, orders and reviews. */
  sample?: boolean
}

/** Resolves when all requested roles have started. */
export async function start(
  config: Config,
  log: Logger,
  { closings, print, development = false, sample = false }: StartOptions,
): Promise<void> {
  const { environment } = config
  // Closed last: the spans of what is closing are sent too.
  if (environment.tracing) {
    const { startTracing } = await import('./startup/tracing.ts')
    closings.push(startTracing(environment.tracing, log))
  }
  const web = environment.roles.includes('web')
  const pageBuilt = web && !development ? ensurePage(log, environment.dataDir) : null
  pageBuilt?.catch(() => {})
  const monitoring = web ? null : await startMonitoring({ environment, limits: config.limits, log })
  if (monitoring) closings.push(() => monitoring.close())
  const stopping = new AbortController()
  closings.push(() => Promise.resolve(stopping.abort()))
  const entrance = createEntrance(environment, log)
  if (web) closings.push(() => entrance.close())
  const { database, secrets, close } = await openForStart(environment, log, {
    signal: stopping.signal,
    ...(web ? { onWait: () => entrance.open() } : {}),
  })
  closings.push(close)
  // The drop server loads its modules in the meantime: the start waits for it only when its address
  // is needed.
  const dropStarts = environment.roles.includes('drop')
    ? startDropChild(environment, database, log)
    : Promise.resolve(null)
  closings.push(async () => (await dropStarts)?.close())
  const baseUrl = environment.baseUrl ?? `http://${environment.host}:${environment.port}`
  const clock = () => new Date()
  const options = { config, database, secrets, baseUrl, clock, log, closings }
  const server = await composeServer(options)
  await clearPlans({ database, storefront: server.storefront, plans: config.plans, log })
  if (environment.roles.includes('worker')) await startWorkerRole(options, server)
  if (!web) {
    const gauges = stateGauges(database, stagingFolders(environment), allMetrics)
    if (monitoring) closings.push(monitoring.started(database, gauges))
    return log.info('the worker is ready')
  }

  const page = await openPage(pageBuilt, environment)
  const drop = (await dropStarts)?.address ?? null
  const port = await startWebRole(options, server, { page, drop, entrance })
  const { demo } = server.storefront
  if (!demo) return log.info('ready', { url: baseUrl, port })
  const known = await prepareDemo(
    database,
    environment.dataDir,
    demo.shop,
    baseUrl,
    // Without ports that scripts could use as long as it has not started.
    drop?.sftpPort && drop.ftpPort ? drop : null,
    demo,
  )
  print(welcome(known, demo.sample))
  if (sample) fillInBackground(options, demo, known, print)
}

/** The built page, or in development its sources. */
const openPage = async (built: Promise<string> | null, { dataDir }: Environment) =>
  built ? builtPage(await built) : developmentPage(commandIn(dataDir))

async function startWorkerRole(options: ComposeOptions, server: ComposedServer): Promise<void> {
  const { config, database, secrets, baseUrl, clock, log, closings } = options
  const { engine, parts, stores, storefront, client, folder, cloud, sandboxes } = server
  const common = { database, client, secrets, baseUrl, clock, log }
  const outbox = openOutbox({
    ...common,
    ...senders(config.environment, log),
    blobs: new WholeBlobs({ database, stores, log, clock }),
    triggers: (shop) => storefront.triggers(shop),
    operationRecord: async (scope, id) =>
      operationRecord(engine, present(await engine.get(scope, id), 'The operation'), clock()),
  })
  const tasks = backgroundTasks({
    ...common,
    engine,
    engineParts: parts,
    storefront,
    stores,
    folder,
    cloud,
    sandboxOf: (shop) => sandboxes.of(shop),
    limits: config.limits,
    plans: config.plans,
    mailAdvice: config.environment.mail,
    ...options.mailReach,
    reportsUrl: config.environment.mail.reportsUrl,
  })
  const all = [...tasks, ...outbox.tasks]
  const worker = await startWorker(parts, (job) => outbox.run(job), all)
  closings.push(() => worker.stop())
  closings.push(() => outbox.close())
}

function senders(
  { smtpUrl, twilio, mailFrom: from, mail, allowLoopback, platform }: Environment,
  log: Logger,
) {
  if (smtpUrl === null && platform !== null)
    log.warn('SMTP_URL is not set: email is stored in the list of messages and not sent')
  return { smtpUrl, twilio, from, mail, allowLoopback }
}

/** Listens, and gives the port. */
async function startWebRole(
  { config: { environment }, closings }: ComposeOptions,
  server: ComposedServer,
  { page, drop, entrance }: { page: PageSource; drop: DropAddress | null; entrance: Entrance },
): Promise<number> {
  const { app, parts } = await server.openWeb(page, drop ?? environment.drop)
  const { port } = await entrance.serve(app)
  // Before the parts that it uses are closed.
  closings.push(() => entrance.close())
  closings.push(async () => {
    parts.readiness.drain()
    await delay(environment.drainSeconds * 1000)
  })
  return port
}

/** The server answers meanwhile; stopping it ends the filling. */
function fillInBackground(
  { database, log, closings }: ComposeOptions,
  { shop, frontUrl }: DemoPlatform,
  { url, api_key: apiKey }: Demo,
  print: (text: string) => void,
): void {
  const stopping = new AbortController()
  closings.push(() => Promise.resolve(stopping.abort()))
  const { signal } = stopping
  const sample = {
    scope: forShop(database, shop.id),
    url,
    apiKey,
    frontUrl,
    signal,
    analyze: () => database.pool.query('analyze'),
    say: (text: string) => print(`${text}\n`),
  }
  const filled = import('./demo/sample/sample.ts').then(({ fillSampleShop }) =>
    fillSampleShop(sample),
  )
  filled.catch((error: unknown) => {
    if (!signal.aborted) log.error('the sample shop could not be filled', errorFields(error))
  })
}
