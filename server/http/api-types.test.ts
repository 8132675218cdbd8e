// The page's API types are generated from the OpenAPI document. After a schema has changed, write
// them again with `npm run api-types`; then `tsc -p web` finds the code that no longer matches.
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { format, type FormatConfig } from 'oxfmt'
import { expect, test } from 'vitest'
import { openTestApp } from '../../test/app.ts'
import style from '../../.oxfmtrc.json' with { type: 'json' }

const FILE = new URL('../../web/shell/client/api.gen.ts', import.meta.url).pathname
const HEADER = '// Generated from /api/openapi.json by `npm run api-types`. Do not edit.\n'

test('web/shell/client/api.gen.ts matches the OpenAPI document', async () => {
  const app = await openTestApp()
  try {
    const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as OpenAPI3
    // Without paths and webhooks: the page uses only the named schemas, a tenth of the text.
    const named = { ...document, paths: {}, webhooks: {} }
    const types = astToString(await openapiTS(named, { alphabetize: true }))
    const { code } = await format(FILE, HEADER + types, style as FormatConfig)
    await expect(code).toMatchFileSnapshot(FILE)
  } finally {
    await app.close()
  }
})
