// The files that declare the app to the platform: each topic has its scope, and the app handles it.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ADMIN_API_VERSION } from './library.ts'
import { missingScopes } from './access.ts'
import { TOPICS } from './changes.ts'

interface Subscription {
  topics?: string[]
  compliance_topics?: string[]
  uri: string
}
interface AppConfig {
  access_scopes: { scopes: string; optional_scopes: string[] }
  webhooks: { api_version: string; subscriptions: Subscription[] }
}

const ROOT = path.join(import.meta.dirname, '../..')
const READ =
  'import json, sys, tomllib; json.dump(tomllib.load(open(sys.argv[1], "rb")), sys.stdout)'
const read = (name: string): AppConfig =>
  JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', READ, path.join(ROOT, name)]).toString(),
  ) as AppConfig

const topicsOf = ({ webhooks }: AppConfig): string[] =>
  webhooks.subscriptions.flatMap((one) => [...(one.topics ?? []), ...(one.compliance_topics ?? [])])
const scopesOf = ({ access_scopes }: AppConfig): string[] => access_scopes.scopes.split(',')

/** The scope without which the platform refuses a topic; null: none. */
function scopeOf(topic: string): string | null {
  const [subject] = topic.split(/[/.]/)
  if (subject === 'products') return 'read_products'
  if (subject === 'orders' || subject === 'refunds') return 'write_orders'
  if (subject === 'customer' || /^customers\/(update|merge)$/.test(topic)) return 'read_customers'
  return null
}
const CUSTOMERS = [
  'customers/update',
  'customers/merge',
  'customer.tags_added',
  'customer.tags_removed',
]

const usual = read('shopify.app.toml')
const withCustomers = read('shopify.app.customers.toml')

test.each([
  ['shopify.app.toml', usual],
  ['shopify.app.customers.toml', withCustomers],
] as const)(
  '%s declares no topic without its scope, and nothing that the app ignores',
  (_, one) => {
    const topics = topicsOf(one)
    expect(topics).toEqual([...new Set(topics)])
    expect(topics.filter((topic) => !(topic in TOPICS))).toEqual([])
    const needed = topics.flatMap((topic) => scopeOf(topic) ?? [])
    expect(needed.filter((scope) => !scopesOf(one).includes(scope))).toEqual([])
    const granted = [...scopesOf(one), ...one.access_scopes.optional_scopes]
    expect(missingScopes(granted)).toEqual([])
    expect(one.webhooks.api_version).toBe(ADMIN_API_VERSION)
    expect(one.webhooks.subscriptions.map(({ uri }) => uri)).toEqual(
      one.webhooks.subscriptions.map(() => '/webhooks'),
    )
  },
)

test('every topic is declared, and those of customers only with their scope', () => {
  expect(topicsOf(withCustomers).toSorted()).toEqual(Object.keys(TOPICS).toSorted())
  const others = Object.keys(TOPICS).filter((topic) => !CUSTOMERS.includes(topic))
  expect(topicsOf(usual).toSorted()).toEqual(others.toSorted())
})

test('the two files differ in nothing else', () => {
  const { access_scopes, webhooks, ...rest } = withCustomers
  const subscriptions = webhooks.subscriptions.filter(({ topics }) => topics?.[0] !== CUSTOMERS[0])
  const scopes = access_scopes.scopes.replace(',read_customers', '')
  expect({
    ...rest,
    access_scopes: { ...access_scopes, scopes },
    webhooks: { ...webhooks, subscriptions },
  }).toEqual(usual)
})
