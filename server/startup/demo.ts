// Demo mode: keeps one API key in the data folder, and prints a command to paste.
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { findApiKey } from '../db/api-keys.ts'
import type { Database } from '../db/database.ts'
import { forShop } from '../db/for-shop.ts'
import { SCOPES } from '../http/endpoint.ts'
import { createApiKey } from '../http/auth.ts'
import { hashKey } from '../secrets.ts'

export interface Demo {
  url: string
  shop: string
  api_key: string
}

/** Writes `<dataDir>/demo.json`, with the key that is there already where it still works. */
export async function prepareDemo(
  database: Database,
  dataDir: string,
  shop: { id: number; domain: string },
  url: string,
): Promise<Demo> {
  const file = path.join(dataDir, 'demo.json')
  const before = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as Partial<Demo>)
    .catch(() => ({}) as Partial<Demo>)
  const known = before.api_key ? await findApiKey(database, hashKey(before.api_key)) : null
  const apiKey =
    known?.shop_id === shop.id
      ? before.api_key!
      : (await createApiKey(forShop(database, shop.id), { name: 'Demo', scopes: SCOPES, demo: true })).key
  const demo: Demo = { url, shop: shop.domain, api_key: apiKey }
  // Written atomically: scripts wait for this file.
  await writeFile(`${file}.new`, JSON.stringify(demo, null, 2) + '\n', { mode: 0o600 })
  await rename(`${file}.new`, file)
  return demo
}

export function welcome({ url, shop, api_key }: Demo, sample: { path: string; filename: string; sku: string }): string {
  const body = JSON.stringify({
    files: [{ filename: sample.filename, url: `${url}${sample.path}`, product_sku: sample.sku, tags: ['sample'] }],
  })
  return `
Stevedore is ready.

  Admin page   ${url}
  Demo shop    ${shop}
  API key      ${api_key}
  API          ${url}/api/docs

Import a file:

  curl -sS ${url}/api/files/import \\
    -H 'Authorization: Bearer ${api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'

Stop with Ctrl-C. Everything is kept for the next start.
`
}
