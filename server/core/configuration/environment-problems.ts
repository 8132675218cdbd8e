// Problems of environment variables that are valid separately but not together.
import type { EnvironmentVariables } from './environment-schema.ts'

/** Without platform credentials the server runs in demo mode. */
export const isDemo = (env: EnvironmentVariables): boolean => !env.SHOPIFY_API_KEY

/** The problems of the settings together, each with what to write instead. */
export const environmentProblems = (env: EnvironmentVariables): string[] => [
  ...platformProblems(env),
  ...databaseProblems(env),
  ...incompleteGroups(env),
]

function platformProblems(env: EnvironmentVariables): string[] {
  const problems: string[] = []
  const demo = isDemo(env)
  if (!env.SHOPIFY_API_KEY !== !env.SHOPIFY_API_SECRET)
    problems.push('SHOPIFY_API_KEY and SHOPIFY_API_SECRET: set both, or neither for demo mode')
  if (demo && env.NODE_ENV === 'production')
    problems.push(
      'SHOPIFY_API_KEY and SHOPIFY_API_SECRET: set both: demo mode is refused when NODE_ENV=production',
    )
  if (demo && !['127.0.0.1', 'localhost', '::1'].includes(env.HOST))
    problems.push(
      'HOST: demo mode only listens on 127.0.0.1; leave HOST out, or set the platform credentials',
    )
  if (!demo && !env.BASE_URL)
    problems.push('BASE_URL: set the public address of the app, like https://files.example.com')
  if (!demo && env.BASE_URL && !/^https:/i.test(env.BASE_URL))
    problems.push(
      'BASE_URL: set an https address: keys, tokens and download links would be sent unencrypted over http',
    )
  return problems
}

function databaseProblems(env: EnvironmentVariables): string[] {
  if (!env.DATABASE_URL && isDemo(env)) return []
  const problems: string[] = []
  if (!env.DATABASE_URL)
    problems.push(
      'DATABASE_URL: name a PostgreSQL server of version 18 or newer: the embedded one is for the demo',
    )
  if (!env.APP_SECRET)
    problems.push(
      'APP_SECRET: set it when DATABASE_URL is set, the same on every machine (openssl rand -hex 32)',
    )
  return problems
}

/** Variables that must be set together or not at all. */
function incompleteGroups(env: EnvironmentVariables): string[] {
  const problems: string[] = []
  const twilio = [env.TWILIO_ACCOUNT_SID, env.TWILIO_AUTH_TOKEN, env.TWILIO_FROM]
  if (twilio.some(Boolean) && !twilio.every(Boolean))
    problems.push(
      'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM: set all three, or none to send no text messages',
    )
  if (!env.DROP_TLS_CERT !== !env.DROP_TLS_KEY)
    problems.push(
      'DROP_TLS_CERT and DROP_TLS_KEY: set both, or neither for a generated certificate',
    )
  const partner = [
    env.SHOPIFY_PARTNER_ORGANIZATION,
    env.SHOPIFY_PARTNER_TOKEN,
    env.SHOPIFY_APP_NUMBER,
  ]
  if (partner.some(Boolean) && !partner.every(Boolean))
    problems.push(
      'SHOPIFY_PARTNER_ORGANIZATION, SHOPIFY_PARTNER_TOKEN and SHOPIFY_APP_NUMBER: set all three, or none',
    )
  return problems
}
