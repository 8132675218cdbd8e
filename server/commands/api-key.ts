// npm run api-key -- --shop SHOP --scopes files:read,imports:write [--name NAME] [--days N]: makes
// an API key, shown once.
import { parseArgs } from 'node:util'
import { appConfig } from '../../app.config.ts'
import { forShop, findShop } from '../core/db/for-shop.ts'
import { createApiKey } from '../http/auth.ts'
import { SCOPES, type Scope } from '../http/endpoint.ts'
import { createLogger } from '../core/log.ts'
import { openForCommand } from '../startup/database.ts'
import { runCommand } from './terminal.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const USAGE = `npm run api-key -- --shop SHOP --scopes SCOPE[,SCOPE…] [--name NAME] [--days N]

  --shop    the shop's domain, like harbour-press.myshopify.com
  --scopes  all, or some of: ${SCOPES.join(' ')}
  --name    the key's name in the history (API key)
  --days    days until it expires (never)`

function readArguments() {
  const { values } = parseArgs({
    options: {
      shop: { type: 'string' },
      scopes: { type: 'string' },
      name: { type: 'string', default: 'API key' },
      days: { type: 'string' },
    },
  })
  const scopes =
    values.scopes === 'all'
      ? [...SCOPES]
      : (values.scopes?.split(',').map((scope) => scope.trim()) ?? [])
  const unknown = scopes.filter((scope) => !(SCOPES as readonly string[]).includes(scope))
  if (unknown.length > 0) throw new Error(`There is no scope ${unknown.join(', ')}.\n\n${USAGE}`)
  if (values.days !== undefined && !/^[1-9]\d{0,4}$/.test(values.days))
    throw new Error(`--days needs a whole number.\n\n${USAGE}`)
  if (!values.shop || scopes.length === 0) throw new Error(USAGE)
  const expiresAt = values.days ? new Date(Date.now() + Number(values.days) * DAY_MS) : undefined
  return {
    shop: values.shop,
    scopes: scopes as Scope[],
    name: values.name,
    ...(expiresAt ? { expiresAt } : {}),
  }
}

await runCommand(async () => {
  const { shop: domain, ...key } = readArguments()
  const { environment } = appConfig()
  const { database, close } = await openForCommand(environment, createLogger(environment.logLevel))
  try {
    const shop = await findShop(database, domain)
    if (!shop) throw new Error(`There is no shop ${domain}.`)
    console.log((await createApiKey(forShop(database, shop.id), { ...key, demo: shop.demo })).key)
  } finally {
    await close()
  }
})
