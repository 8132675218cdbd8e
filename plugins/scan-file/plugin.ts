// Asks the virus scanner of the installation about each file. One in which it finds something exists,
// but is delivered nowhere until a person releases it.
import { z } from 'zod'
import {
  definePlugin,
  eachItem,
  failed,
  planEach,
  PortError,
  say,
  sayPlain,
  tag,
  type Decision,
  type Item,
} from '../contract/index.ts'

const CONCURRENCY = 4

const options = z.strictObject({
  when_down: z
    .enum(['wait', 'pass'])
    .default('wait')
    .meta({
      title: 'If the scanner does not answer',
      choices: {
        wait: 'Try again, and fail the file in the end',
        pass: 'Let the file pass, with a tag',
      },
    }),
  tag: tag.default('not scanned').meta({ title: 'Tag of files that were not scanned' }),
})
type Options = z.output<typeof options>

/**
 * Items get the warnings `file_quarantined` and `not_scanned`, or fail with `scanner_unavailable` or
 * the error of the storage location.
 */
export const scanFile = definePlugin({
  id: 'scan-file',
  kind: 'validate',
  title: 'Scan for viruses',
  actions: [
    {
      group: 'organize',
      labels: {
        action: 'Scan for viruses',
        title: 'Scan {count, plural, one {# file} other {# files}} for viruses',
        running: 'Scanning {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} scanned',
        result: 'scanned',
        intro:
          'A file in which the scanner finds something is put in quarantine: it is delivered nowhere until it is released.',
        preview: '{count, plural, one {# file would be scanned} other {# files would be scanned}}',
      },
    },
  ],
  announces: ['file.quarantined'],
  options,
  undo: 'none',
  needs: ['virusScanner'],
  bytes: true,
  summary: ({ when_down }) =>
    when_down === 'wait'
      ? say('Puts files with viruses in quarantine; waits for the scanner')
      : say('Puts files with viruses in quarantine; lets files pass without the scanner'),
  plan: planEach((): Decision => ({ status: 'ok' })),
  run: (items, wanted: Options, { virusScanner, signal }) =>
    eachItem(items, CONCURRENCY, signal, async (item) => {
      try {
        const found = await virusScanner.scan(item, signal)
        return found === null ? harmless(item) : infected(found)
      } catch (error) {
        if (wanted.when_down === 'pass' && isDown(error)) return notScanned(wanted.tag)
        return failed(item, error)
      }
    }),
})

const harmless = ({ entry }: Item): Decision =>
  entry ? { status: 'ok' } : { status: 'ok', unchanged: sayPlain('Nothing was found in it') }

/** Later steps would make other files of it. */
const infected = (found: string): Decision => ({
  status: 'ok',
  quarantine: { found },
  last: true,
  warnings: [
    {
      code: 'file_quarantined',
      message: say('{found} was found in it: it is in quarantine', { found }),
    },
  ],
})

const isDown = (error: unknown): boolean =>
  error instanceof PortError && error.code === 'scanner_unavailable'

const notScanned = (mark: string): Decision => ({
  status: 'ok',
  change: { tags: { add: [mark] } },
  warnings: [
    {
      code: 'not_scanned',
      message: sayPlain('It was not scanned for viruses: the scanner did not answer'),
    },
  ],
})
