import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { PortError, type Licences } from '../contract.ts'
import { assignLicenceKey } from './plugin.ts'

const LIST = `licences_${'1'.repeat(32)}`
const items = [fileItem('app.zip'), fileItem('addon.zip')]

/** A list with `left` keys. As in the real port, keys that the file has already are counted. */
function openLicences(left: number) {
  const given: Record<string, number> = {}
  const licences: Licences = {
    find: (list) => Promise.resolve(list === LIST ? { name: 'Keys', left } : null),
    assign: (_list, file, count) => {
      const missing = count - (given[file] ?? 0)
      if (missing > left)
        return Promise.reject(new PortError('licence_keys_used_up', 'Too few', false))
      left -= missing
      given[file] = count
      return Promise.resolve()
    },
  }
  return { licences, given }
}
const contextOf = (licences: Licences, quantity: number) => {
  const { delivery } = writeContext()
  return writeContext({ licences, delivery: { ...delivery, quantityOf: () => quantity } })
}

pluginSuite(assignLicenceKey, () => {
  const { licences, given } = openLicences(10)
  const context = contextOf(licences, 2)
  return Promise.resolve({ items, options: { list: LIST }, context, state: () => ({ ...given }) })
})

it.each([
  ['unit', 3, 3],
  ['file', 3, 1],
  ['unit', 5000, 100],
])('assigns keys per %s: %i bought, %i keys', async (per, quantity, keys) => {
  const { licences, given } = openLicences(1000)
  const options = assignLicenceKey.options.parse({ list: LIST, per })
  await Array.fromAsync(assignLicenceKey.run!(items, options, contextOf(licences, quantity)))
  expect(Object.values(given)).toEqual([keys, keys])
})

it('fails the files for which too few keys are left', async () => {
  const { licences } = openLicences(1)
  const options = assignLicenceKey.options.parse({ list: LIST })
  const run = assignLicenceKey.run!(items, options, contextOf(licences, 1))
  expect(await Array.fromAsync(run)).toMatchObject([
    { item: 'app.zip', status: 'ok' },
    { item: 'addon.zip', status: 'failed', code: 'licence_keys_used_up', retryable: false },
  ])
})
