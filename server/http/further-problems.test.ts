// A refused body gets every problem in one answer: those of malformed fields, and those that only the
// shop's records show.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { someOf } from '../../test/scale.ts'
import { openTestApp, type TestApp } from '../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const UNKNOWN = '0199c2f5d2c07f0a9b7e3f4a5b6c7d8e'
const schedule = {
  name: '',
  cron: 'x',
  action: 'tag-files',
  options: { tags: ['a,b'] },
  filter: { pack: `pack_${UNKNOWN}` },
  cap: 0,
}
const workflow = {
  name: 'Taken',
  kind: 'bulk',
  parallel: 'two',
  steps: [
    { plugin: 'fly', on_failure: 'explode' },
    { plugin: 5, options: { colour: 'red' } },
    { plugin: 'tag-files', options: { mode: 'add', tags: ['a;b', 7] } },
    { plugin: 'move-to-pack', options: { pack: `pack_${UNKNOWN}` } },
  ],
}
const ofWorkflow = [
  'parallel',
  'on_failure 0',
  'plugin 1',
  'steps[0].plugin',
  'steps[2].options.tags[0]',
  'steps[2].options.tags[1]',
  'steps[3].options.pack',
]
const connection = { max_bytes: 0, bucket: 'a', access_key: 7, folder: 'b' }

test.each(
  someOf<[string, object, string[]]>(
    [
      ['POST /api/schedules', schedule, ['cap', 'name', 'cron', 'options.tags[0]', 'filter.pack']],
      [
        'POST /api/schedules',
        { ...schedule, name: 'Night', cron: '0 3 * * *', action: 5, workflow: null },
        ['action', 'cap', 'filter.pack'],
      ],
      ['POST /api/workflows', workflow, [...ofWorkflow, 'name']],
      ['POST /api/workflows/check', workflow, ofWorkflow],
      [
        'POST /api/workflows/try',
        { workflow, file_ids: [] },
        [
          'workflow.parallel',
          'on_failure 0',
          'plugin 1',
          'file_ids',
          ...ofWorkflow.slice(3).map((param) => `workflow.${param}`),
        ],
      ],
      [
        'POST /api/links',
        {
          file_ids: ['nonsense', `file_${UNKNOWN}`, `file_${UNKNOWN}`],
          expiry_days: 0,
          per_file: [{ file_id: 'x', download_limit: 0 }],
        },
        [
          'file_ids 0',
          'expiry_days',
          'download_limit 0',
          'file_ids 2',
          'per_file.file_id 0',
          'file_ids 1',
        ],
      ],
      ['POST /api/links', { pack_id: `pack_${UNKNOWN}`, email: 'no' }, ['email', 'pack_id']],
      [
        'POST /api/connections',
        { provider: 's3', ...connection },
        ['max_bytes', 'access_key', 'folder', 'bucket', 'secret_key'],
      ],
    ],
    (_, at) => at % 4 === 0,
  ),
)('%s names %j once', async (address, body, expected) => {
  const [method = '', route = ''] = address.split(' ')
  const existing = { ...workflow, name: 'Taken', parallel: 1, steps: [{ plugin: 'notify' }] }
  await app.owner.call('POST', '/api/workflows', existing)
  const answer = await app.owner.call(method, route, body)
  const { error } = answer.body
  const places = error.details.map(({ param, index }: { param: string; index?: number }) =>
    index === undefined ? param : `${param} ${index}`,
  )
  expect([answer.status, places.toSorted()]).toEqual([422, expected.toSorted()])
  expect(error.details_total).toBe(expected.length)
})
