// Starts the web and worker roles, and the drop server as a child if its role is requested.
// compose.ts connects the parts.
import type { AddressInfo } from 'node:net'
import { composeServer } from './compose.ts'
import type { Closing } from './startup/closing.ts'
import type { Config } from './config.ts'
import { startWorker } from './engine/worker.ts'
import { listen } from './http/listen.ts'
import { operationRecord } from './http/operation-record.ts'
import { builtPage, developmentPage } from './http/page.ts'
import type { Logger } from './log.ts'
import { openOutbox, type OutboxOptions } from './notify/open.ts'
import { forgetPlans } from './plans/shop-plan.ts'
import { backgroundTasks } from './startup/background.ts'
import { openForStart } from './startup/database.ts'
import { prepareDemo, welcome } from './startup/demo.ts'
import { startDropChild } from './startup/drop-child.ts'
import { ensurePage } from './startup/page.ts'

const STOP_WITHIN_MS = 20_000

/**
 * Starts everything; pushes what must be stopped to `closings` as it starts, so that a failed start
 * stops it too.
 */
export async function start(
  config: Config,
  log: Logger,
  closings: Closing[],
  development: boolean,
): Promise<void> {
  const { environment, limits } = config
  const web = environment.roles.includes('web')
  const pageBuilt = web && !development ? ensurePage(log, environment.dataDir) : null
  pageBuilt?.catch(() => {})
  const { database, secrets, close } = await openForStart(environment, log)
  closings.push(close)
  // It loads its modules in the meantime, so the start waits for it only when its address is
  // needed.
  const dropStarts = environment.roles.includes('drop')
    ? startDropChild(environment, database, log)
    : Promise.resolve(null)
  closings.push(async () => (await dropStarts)?.close())
  const baseUrl = environment.baseUrl ?? `http://${environment.host}:${environment.port}`
  const clock = () => new Date()
  const server = await composeServer({ config, database, secrets, baseUrl, clock, log, closings })
  const { engine, parts, stores, storefront, client, folder, cloud } = server
  await forgetPlans({ database, storefront, plans: config.plans, log })
  if (environment.roles.includes('worker')) {
    const { smtpUrl, twilio, mailFrom: from } = environment
    if (smtpUrl === null && environment.platform !== null)
      log.warn('SMTP_URL is not set: email is stored in the list of messages and not sent')
    const record: OutboxOptions['operationRecord'] = async (scope, id) =>
      operationRecord(engine, (await engine.get(scope, id))!, clock())
    const options = {
      database,
      client,
      secrets,
      smtpUrl,
      twilio,
      from,
      triggers: (shop: number) => storefront.triggers(shop),
      baseUrl,
      operationRecord: record,
      clock,
      log,
    }
    const outbox = openOutbox(options)
    const tasks = backgroundTasks({
      database,
      engine,
      engineParts: parts,
      storefront,
      stores,
      folder,
      client,
      cloud,
      limits,
      plans: config.plans,
      secrets,
      baseUrl,
      clock,
      log,
    })
    const worker = await startWorker(parts, (job) => outbox.deliver(job), [
      ...tasks,
      ...outbox.tasks,
    ])
    closings.push(() => worker.stop())
    closings.push(() => outbox.close())
  }
  if (!web) return log.info('the worker is ready')

  const page = pageBuilt ? builtPage(await pageBuilt) : await developmentPage()
  const drop = await dropStarts
  const { app } = await server.openWeb(page, drop?.address ?? environment.drop)
  const http = await listen(app, environment.port, environment.host)
  closings.push(async () => {
    const closed = new Promise((resolve) => http.close(resolve))
    http.closeIdleConnections()
    setTimeout(() => http.closeAllConnections(), STOP_WITHIN_MS / 4).unref()
    await closed
  })
  const { port } = http.address() as AddressInfo
  if (!storefront.demoShop) return log.info('ready', { url: baseUrl, port })
  const { dataDir } = environment
  const demo = await prepareDemo(
    database,
    dataDir,
    storefront.demoShop,
    baseUrl,
    drop?.address ?? null,
    storefront.shopFrontUrl ?? null,
  )
  process.stdout.write(welcome(demo, storefront.demoSample!))
}
