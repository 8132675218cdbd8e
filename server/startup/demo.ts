// Demo mode: keeps one API key in the data folder, and prints a command to paste.
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { demoAccount, type DemoDrop } from '../features/drop/demo-account.ts'
import type { DropAddress } from '../core/configuration/drop-settings.ts'
import { findApiKey } from '../core/db/callers.ts'
import type { Database } from '../core/db/database.ts'
import { forShop } from '../core/db/for-shop.ts'
import { SCOPES } from '../http/endpoint.ts'
import { createApiKey } from '../http/auth.ts'
import { hashKey } from '../core/secrets.ts'

export interface Demo {
  url: string
  shop: string
  api_key: string
  drop?: DemoDrop
  /** The demo shop's front, where buyers buy. */
  storefront?: { url: string; admin_url: string }
}

/** Writes `<dataDir>/demo.json`; an API key in it that still works is kept. */
export async function prepareDemo(
  database: Database,
  dataDir: string,
  shop: { id: number; domain: string },
  url: string,
  drop: DropAddress | null,
  front: { frontUrl: string; adminUrl: string } | null = null,
): Promise<Demo> {
  const file = path.join(dataDir, 'demo.json')
  const before = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as Partial<Demo>)
    .catch(() => ({}) as Partial<Demo>)
  const demo: Demo = {
    url,
    shop: shop.domain,
    api_key: await demoKey(database, shop.id, before.api_key),
  }
  if (front) demo.storefront = { url: front.frontUrl, admin_url: front.adminUrl }
  if (drop) demo.drop = await demoAccount(database, shop.id, drop, before.drop)
  // Written atomically: scripts wait for this file.
  await writeFile(`${file}.new`, JSON.stringify(demo, null, 2) + '\n', { mode: 0o600 })
  await rename(`${file}.new`, file)
  return demo
}

/** The key of the previous start, if it still works. */
async function demoKey(
  database: Database,
  shop: number,
  before: string | undefined,
): Promise<string> {
  if (before && (await findApiKey(database, hashKey(before)))?.shop_id === shop) return before
  const scope = forShop(database, shop)
  return (await createApiKey(scope, { name: 'Demo', scopes: SCOPES, demo: true })).key
}

export function welcome(
  { url, shop, api_key, drop, storefront }: Demo,
  sample: { path: string; filename: string; sku: string },
): string {
  const body = JSON.stringify({
    files: [
      {
        filename: sample.filename,
        url: `${url}${sample.path}`,
        product_sku: sample.sku,
        tags: ['sample'],
      },
    ],
  })
  return `
Stevedore is ready.

  Admin page   ${url}
  Demo shop    ${shop}
  API key      ${api_key}
  API          ${url}/api/docs
${storefront ? `  Shop front   ${storefront.url}/demo/shop\n  Shop’s admin ${storefront.admin_url}\n` : ''}${drop ? dropLines(drop) : ''}
Import a file:

  curl -sS ${url}/api/files/import \\
    -H 'Authorization: Bearer ${api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'

Stop with Ctrl-C. Everything is kept for the next start.
`
}

const dropLines = ({
  host,
  sftp_port,
  ftp_port,
  username,
  password,
}: DemoDrop) => `  SFTP         sftp -P ${sftp_port} ${username}@${host}
  FTP          ftp://${username}@${host}:${ftp_port}
  Password     ${password}
`
