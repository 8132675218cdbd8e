// The error codes of the document are those that the source can throw. After an endpoint or what it calls
// has changed: `npm run error-codes`, which takes a minute of processor time.
import path from 'node:path'
import { format, type FormatConfig } from 'oxfmt'
import { expect, test } from 'vitest'
import { isErrorCode } from '../server/core/errors.ts'
import style from '../.oxfmtrc.json' with { type: 'json' }
import { deriveErrorCodes } from './error-codes.ts'

const FILE = path.join(import.meta.dirname, '../server/http/error-codes.json')

test('server/http/error-codes.json names what each endpoint can throw', async () => {
  const derived = [...deriveErrorCodes()].map(
    ([address, codes]) => [address, codes.filter(isErrorCode)] as const,
  )
  expect(derived.length).toBeGreaterThan(200)
  const { code } = await format(
    FILE,
    JSON.stringify(Object.fromEntries(derived)),
    style as FormatConfig,
  )
  await expect(code).toMatchFileSnapshot(FILE)
})
