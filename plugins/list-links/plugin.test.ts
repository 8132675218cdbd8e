import { expect, it } from 'vitest'
import { operationContext, writeContext } from '../../test/fakes/context.ts'
import { operationView } from '../../test/fakes/operation.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Listings, MadeLink, Notifier, OperationView } from '../contract/index.ts'
import { listLinks } from './plugin.ts'

const link = (given: Partial<MadeLink>): MadeLink => ({
  filename: 'guide.pdf',
  url: 'https://files.example.com/download?key=abc',
  email: null,
  expires_at: null,
  download_limit: null,
  ...given,
})
const operation = (given: Partial<OperationView> = {}) =>
  operationView({
    action: 'create-links',
    title: 'Create download links',
    total: 3,
    done: 3,
    ...given,
  })
const listingsOf = (...pages: readonly (readonly MadeLink[])[]): Listings => ({
  files: () => {
    throw new Error('It lists no files')
  },
  size: () => {
    throw new Error('It measures no files')
  },
  zip: () => {
    throw new Error('It reads no files')
  },
  async *links() {
    yield* pages
  },
})

function shelf() {
  const documents = new Map<string, string>()
  return {
    documents,
    artifacts: {
      write: async (filename: string, type: string, bytes: AsyncIterable<Uint8Array>) => {
        documents.set(
          `${filename} ${type}`,
          Buffer.concat((await Array.fromAsync(bytes)) as Buffer[]).toString(),
        )
      },
    },
  }
}
const notify: Notifier = {
  email: () => {
    throw new Error('It sends nothing')
  },
  notice: () => {
    throw new Error('It tells nothing')
  },
  sms: () => {
    throw new Error('It sends nothing')
  },
}

pluginSuite(listLinks, () => {
  const { documents, artifacts } = shelf()
  return Promise.resolve({
    operation: operation(),
    context: writeContext(),
    notify,
    ports: { artifacts, listings: listingsOf([link({})]) },
    state: () => [...documents],
  })
})

const written = async (
  given: Partial<OperationView>,
  ...pages: readonly (readonly MadeLink[])[]
) => {
  const { documents, artifacts } = shelf()
  await listLinks.run(
    operation(given),
    {},
    operationContext({ notify, artifacts, listings: listingsOf(...pages) }),
  )
  return [...documents]
}

it('writes one CSV file that no spreadsheet executes', async () => {
  const until = '2026-04-01T00:00:00.000Z'
  const pages = [
    [
      link({
        filename: '=1+1, "x".pdf',
        email: '+a@example.com',
        expires_at: until,
        download_limit: 5,
      }),
    ],
    [],
    [link({})],
  ]
  expect(await written({}, ...pages)).toEqual([
    [
      'links-2026-03-02.csv text/csv',
      '\ufefffilename,url,email,expires_at,download_limit\r\n' +
        `"'=1+1, ""x"".pdf",https://files.example.com/download?key=abc,'+a@example.com,${until},5\r\n` +
        'guide.pdf,https://files.example.com/download?key=abc,,,\r\n',
    ],
  ])
})

it('lists what a cancelled operation created, and writes nothing if it created nothing', async () => {
  expect((await written({ status: 'cancelled', done: 1, cancelled: 2 }, [link({})])).length).toBe(1)
  expect(await written({ status: 'failed', done: 0, failed: 3 })).toEqual([])
})
