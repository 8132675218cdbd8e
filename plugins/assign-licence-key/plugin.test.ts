import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { PortError, type Licences } from '../contract/index.ts'
import { assignLicenceKey } from './plugin.ts'

const LIST = `licences_${'1'.repeat(32)}`
const items = [fileItem('app.zip'), fileItem('addon.zip')]

/** A list with `left` keys. As in the real port, a file that has its keys takes no more. */
function openLicences(left: number) {
  const given: Record<string, string> = {}
  const licences: Licences = {
    find: (list) => Promise.resolve(list === LIST ? { name: 'Keys', left } : null),
    assign: (_list, file, per) => {
      if (given[file] !== undefined) return Promise.resolve()
      if (left === 0) return Promise.reject(new PortError('licence_keys_used_up', 'Too few', false))
      left -= 1
      given[file] = per
      return Promise.resolve()
    },
    keysOf: () => Promise.resolve([]),
  }
  return { context: writeContext({ licences }), given }
}

pluginSuite(assignLicenceKey, () => {
  const { context, given } = openLicences(10)
  return Promise.resolve({ items, options: { list: LIST }, context, state: () => ({ ...given }) })
})

it.each(['unit', 'file'])('assigns keys per %s', async (per) => {
  const { context, given } = openLicences(2)
  const options = assignLicenceKey.options.parse({ list: LIST, per })
  await Array.fromAsync(assignLicenceKey.run!(items, options, context))
  expect(Object.values(given)).toEqual([per, per])
})

it('fails the files for which too few keys are left', async () => {
  const { context } = openLicences(1)
  const options = assignLicenceKey.options.parse({ list: LIST })
  const run = assignLicenceKey.run!(items, options, context)
  expect(await Array.fromAsync(run)).toMatchObject([
    { item: 'app.zip', status: 'ok' },
    { item: 'addon.zip', status: 'failed', code: 'licence_keys_used_up', retryable: false },
  ])
})
