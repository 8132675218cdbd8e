// Puts the bytes of files into one ZIP file, which is downloaded like other exports. It changes
// nothing.
import { z } from 'zod'
import {
  type BaseContext,
  dayAt,
  definePlugin,
  PortError,
  say,
  sizeText,
  type FilesSize,
  type OperationView,
} from '../contract/index.ts'

/** More names would be too many for the programs that unpack ZIP files. */
const MAX_FILES = 10_000

export const zipFiles = definePlugin({
  id: 'zip-files',
  kind: 'act',
  title: 'Download files as a ZIP file',
  actions: [
    {
      group: 'deliver',
      labels: {
        action: 'Download files as a ZIP file',
        menu: 'Download as ZIP',
        title: 'Download {count, plural, one {# file} other {# files}} as a ZIP file',
        button: 'Create ZIP file',
        running: 'Putting {count, plural, one {# file} other {# files}} into a ZIP file',
        done: '{count, plural, one {# file} other {# files}} in a ZIP file',
        result: 'put into a ZIP file',
        note: 'At most 10,000 files that are together as large as one file may be. A preview shows their size. The ZIP file is kept with the operation, in Operations.',
      },
      fits: { places: ['files'] },
    },
  ],
  options: z.strictObject({}),
  undo: 'none',
  needs: ['artifacts', 'listings'],
  scope: 'operation',
  ledger: false,
  document: true,
  permission: 'files:read',
  advice: {
    zip_too_large: 'Select fewer files: a ZIP file with all of them would be too large.',
  },
  async *plan(operation, _options, { listings, limits, shop, signal }) {
    signal.throwIfAborted()
    const size = await listings.size()
    requireRoom(size, limits.file_bytes)
    const { files, bytes } = size
    yield say('{name}: {files, plural, one {# file} other {# files}}, {size}', {
      name: nameOf(operation, shop),
      files,
      size: sizeText(bytes),
    })
  },
  async run(operation, _options, { artifacts, listings, limits, shop, signal }) {
    signal.throwIfAborted()
    requireRoom(await listings.size(), limits.file_bytes)
    await artifacts.write(nameOf(operation, shop), 'application/zip', listings.zip(signal))
    return {}
  },
})

const nameOf = ({ started_at }: OperationView, { settings }: BaseContext['shop']) =>
  `files-${dayAt(started_at, settings.time_zone)}.zip`

/** Throws `zip_too_large`. */
function requireRoom({ files, bytes }: FilesSize, mostBytes: number): void {
  const problem =
    files > MAX_FILES
      ? say('These are {count} files: a ZIP file has at most {limit}', {
          count: files,
          limit: MAX_FILES,
        })
      : bytes > mostBytes
        ? say('These files have {size}: a ZIP file has at most {limit}', {
            size: sizeText(bytes),
            limit: sizeText(mostBytes),
          })
        : null
  if (problem !== null) throw new PortError('zip_too_large', problem, false)
}
