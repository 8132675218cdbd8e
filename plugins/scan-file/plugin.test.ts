import { expect, it } from 'vitest'
import { fileItem, importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { PortError, type VirusScanner } from '../contract/index.ts'
import { scanFile } from './plugin.ts'

const items = [fileItem('clean'), fileItem('infected'), importItem('new')]

/** Finds something in one of the items. */
const scanner = (): VirusScanner => ({
  scan: ({ file }) => Promise.resolve(file.id === items[1]!.file.id ? 'Eicar' : null),
})
const down = (retryable: boolean): VirusScanner => ({
  scan: () => Promise.reject(new PortError('scanner_unavailable', 'No answer', retryable)),
})

const run = (virusScanner: VirusScanner, options = {}) =>
  Array.fromAsync(
    scanFile.run!(items, scanFile.options.parse(options), writeContext({ virusScanner })),
  )

pluginSuite(scanFile, () =>
  Promise.resolve({ items, context: writeContext({ virusScanner: scanner() }), state: () => null }),
)

it('puts what the scanner finds in quarantine, before other steps use it', async () => {
  const outcomes = new Map((await run(scanner())).map((one) => [one.item, one]))
  expect(outcomes.get('clean')).toMatchObject({ status: 'ok', unchanged: expect.anything() })
  expect(outcomes.get('new')).toEqual({ item: 'new', status: 'ok' })
  expect(outcomes.get('infected')).toMatchObject({
    status: 'ok',
    quarantine: { found: 'Eicar' },
    last: true,
    warnings: [{ code: 'file_quarantined' }],
  })
})

it('waits for a scanner that is down, or lets files pass with a mark', async () => {
  for (const retryable of [true, false])
    expect(await run(down(retryable))).toEqual(
      items.map(({ id }) =>
        expect.objectContaining({
          item: id,
          status: 'failed',
          code: 'scanner_unavailable',
          retryable,
        }),
      ),
    )
  expect(await run(down(true), { when_down: 'pass', tag: 'unseen' })).toEqual(
    items.map(({ id }) =>
      expect.objectContaining({
        item: id,
        status: 'ok',
        change: { tags: { add: ['unseen'] } },
        warnings: [expect.objectContaining({ code: 'not_scanned' })],
      }),
    ),
  )
})

it('lets no file pass whose bytes could not be read', async () => {
  const broken: VirusScanner = {
    scan: () => Promise.reject(new PortError('storage_failed', 'No bytes', true)),
  }
  const outcomes = await run(broken, { when_down: 'pass' })
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['failed']))
})
