import { inEnglish } from '../../test/english.ts'
import { expect, it } from 'vitest'
import { operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { FilesSize, Listings, Notifier } from '../contract/index.ts'
import { zipFiles } from './plugin.ts'

const operation = operationView({ action: 'zip-files', title: 'Files', total: 3 })
const refuse = () => {
  throw new Error('It needs only the sizes and the bytes of the files')
}
const notify: Notifier = { email: refuse, notice: refuse, sms: refuse }

function portsFor(size: FilesSize) {
  const documents = new Map<string, string>()
  const listings: Listings = {
    files: refuse,
    links: refuse,
    size: () => Promise.resolve(size),
    async *zip() {
      yield Buffer.from('the bytes')
    },
  }
  const artifacts = {
    write: async (filename: string, type: string, bytes: AsyncIterable<Uint8Array>) => {
      documents.set(`${filename} ${type}`, Buffer.concat(await Array.fromAsync(bytes)).toString())
    },
  }
  return { documents, ports: { listings, artifacts } }
}

const { documents, ports } = portsFor({ files: 2, bytes: 3_500_000 })
pluginSuite(zipFiles, () =>
  Promise.resolve({
    operation,
    notify,
    ports,
    context: writeContext(),
    state: () => [...documents],
  }),
)

it('says how many files it would have, and how large they are', async () => {
  const sentences = zipFiles.plan(operation, {}, { ...writeContext(), ...ports })
  expect(inEnglish(await Array.fromAsync(sentences))).toEqual([
    'files-2026-03-02.zip: 2 files, 3.3 MB',
  ])
})

it.each([
  [{ files: 12_000, bytes: 5 }, 'These are 12,000 files: a ZIP file has at most 10,000'],
  [{ files: 3, bytes: 6 * 1024 ** 3 }, 'These files have 6 GB: a ZIP file has at most 5 GB'],
])('refuses %j, also in a preview', async (size, message) => {
  const large = portsFor(size)
  const refused = { code: 'zip_too_large', message }
  await expect(
    zipFiles.run(operation, {}, operationContext({ notify, ...large.ports })),
  ).rejects.toMatchObject(refused)
  const plan = zipFiles.plan(operation, {}, { ...writeContext(), ...large.ports })
  await expect(Array.fromAsync(plan)).rejects.toMatchObject(refused)
  expect(large.documents.size).toBe(0)
})
