import { english } from '../../../plugins/contract/index.ts'
import { describe, expect, test } from 'vitest'
import { appConfig } from '../../../app.config.ts'
import { checkWorkflow, type WorkflowBody } from './check.ts'
import { deletes } from './describe.ts'

const parts = appConfig({})

const bulk = (change: Partial<WorkflowBody> = {}): WorkflowBody => ({
  name: 'Tidy up',
  kind: 'bulk',
  parallel: 1,
  steps: [
    { plugin: 'tag-files', options: { mode: 'add', tags: ['summer'] } },
    { plugin: 'notify' },
  ],
  channel: null,
  ...change,
})
const imports = (change: Partial<WorkflowBody> = {}): WorkflowBody =>
  bulk({ kind: 'import', steps: [{ plugin: 'fetch-url' }, { plugin: 'validate-file' }], ...change })

const problemsOf = (body: WorkflowBody) =>
  checkWorkflow(body, parts).problems.map(({ param, message }) => `${param}: ${english(message)}`)

test('a valid workflow is stored with ids of its steps, and without empty parts', () => {
  const { workflow, problems } = checkWorkflow(
    bulk({
      steps: [
        {
          plugin: 'tag-files',
          options: { tags: ['a'] },
          when: { type: ['pdf'] },
          on_failure: 'stop',
        },
        { plugin: 'tag-files', options: { tags: ['b'] }, when: {} },
        { id: 'tag-files', plugin: 'tag-files', options: { tags: ['c'] }, when: null },
        { id: 'tell', plugin: 'notify', options: {} },
      ],
    }),
    parts,
  )
  expect(problems).toEqual([])
  expect(workflow.steps).toEqual([
    {
      id: 'tag-files-2',
      plugin: 'tag-files',
      options: { tags: ['a'] },
      when: { type: ['pdf'] },
      onFailure: 'stop',
    },
    { id: 'tag-files-3', plugin: 'tag-files', options: { tags: ['b'] } },
    { id: 'tag-files', plugin: 'tag-files', options: { tags: ['c'] } },
    { id: 'tell', plugin: 'notify' },
  ])
})

describe('an impossible workflow is refused', () => {
  test.each<[string, WorkflowBody, string]>([
    ['without a name', bulk({ name: ' ' }), 'name: Give it a name'],
    [
      'with a name that cannot be kept',
      bulk({ name: 'a\0b' }),
      'name: A name cannot contain control characters',
    ],
    [
      'with an option that cannot be kept',
      bulk({ steps: [{ plugin: 'tag-files', options: { tags: ['\ud800'] } }] }),
      'steps[0].options: It contains a character that cannot be stored',
    ],
    ['without steps', bulk({ steps: [] }), 'steps: It has no steps'],
    [
      'with a plugin that is not there',
      bulk({ steps: [{ plugin: 'fly' }] }),
      'steps[0].plugin: There is no plugin fly',
    ],
    [
      'with a wrong option',
      bulk({ steps: [{ plugin: 'tag-files', options: { mode: 'add', tags: ['a;b'] } }] }),
      'steps[0].options.tags[0]: A tag cannot contain , or ;',
    ],
    [
      'with an option that is not there',
      bulk({ steps: [{ plugin: 'tag-files', options: { tags: ['a'], colour: 'red' } }] }),
      'steps[0].options.colour: There is no colour here',
    ],
    [
      'with a wrong condition',
      bulk({
        steps: [
          { plugin: 'tag-files', options: { tags: ['a'] }, when: { larger_than: -1, weight: 3 } },
        ],
      }),
      'steps[0].when.weight: There is no weight here',
    ],
    [
      'with a step on files after one on the whole',
      bulk({ steps: [{ plugin: 'notify' }, { plugin: 'tag-files', options: { tags: ['a'] } }] }),
      'steps[1]: A step on files can’t follow a step on the whole operation: move it up',
    ],
    [
      'with a condition on a step on the whole',
      bulk({ steps: [bulk().steps[0]!, { plugin: 'notify', when: { type: ['pdf'] } }] }),
      'steps[1].when: This step works on the whole operation, so it takes no condition on files',
    ],
    [
      'with a step on the whole whose failure would stop it',
      bulk({ steps: [bulk().steps[0]!, { plugin: 'notify', on_failure: 'stop' }] }),
      'steps[1].on_failure: This step comes after all files',
    ],
    [
      'with a step on the whole that would keep a file',
      bulk({ steps: [bulk().steps[0]!, { plugin: 'notify', on_failure: 'keep' }] }),
      'steps[1].on_failure: This step comes after all files: there is no file to keep',
    ],
    [
      'that would keep a file that was not fetched',
      {
        ...bulk(),
        kind: 'import',
        steps: [{ plugin: 'fetch-url', on_failure: 'keep' }, { plugin: 'validate-file' }],
      },
      'steps[0].on_failure: A file that fails this step cannot be kept',
    ],
    [
      'with tries of a step on the whole',
      bulk({ steps: [bulk().steps[0]!, { plugin: 'notify', tries: 2 }] }),
      'steps[1].tries: This step works on all files together: no file is tried again',
    ],
    [
      'with a pause in a delivery',
      bulk({ kind: 'delivery', steps: [{ plugin: 'stamp-pdf', pause: 5 }] }),
      'steps[0].pause: A delivery is held if a step fails: no file is tried again',
    ],
    [
      'with two documents',
      bulk({
        steps: [{ plugin: 'create-links' }, { plugin: 'list-links' }, { plugin: 'export-files' }],
      }),
      'steps[2].plugin: An operation has one document, and List the links writes it already',
    ],
    [
      'with a doubled id',
      bulk({ steps: [bulk().steps[0]!, bulk().steps[0]!].map((step) => ({ ...step, id: 'one' })) }),
      'steps[1].id: The step one is listed twice',
    ],
    [
      'with an id that is no id',
      bulk({ steps: [{ ...bulk().steps[0]!, id: 'My Step' }] }),
      'steps[0].id: A step’s id has lower-case letters, digits and -',
    ],
    ['with no chains', bulk({ parallel: 0 }), 'parallel: Parallel is 1 or more'],
    ['with too many chains', bulk({ parallel: 17 }), 'parallel: At most 16'],
    [
      'for files that fetches',
      bulk({ steps: [{ plugin: 'fetch-url' }] }),
      'steps[0].plugin: This step only works on imports',
    ],
    [
      'inside the trash and outside it',
      bulk({
        steps: [{ plugin: 'restore-files' }, { plugin: 'tag-files', options: { tags: ['a'] } }],
      }),
      'steps[1].plugin: Another step works on files in the trash, and this one on files outside it',
    ],
    [
      'for imports that fetches nothing',
      imports({ steps: [{ plugin: 'validate-file' }] }),
      'steps: An import begins with a step that fetches files',
    ],
    [
      'for imports that checks nothing',
      imports({ steps: [{ plugin: 'fetch-url' }] }),
      'steps: An import checks its files: add the step Check files',
    ],
    [
      'for imports that deletes',
      imports({ steps: [...imports().steps, { plugin: 'delete-files' }] }),
      'steps[2].plugin: This step works on files that exist, not on imports',
    ],
    [
      'for imports that fetches twice',
      imports({ steps: [...imports().steps, { plugin: 'fetch-url' }] }),
      'steps[2].plugin: Files are fetched once, by the first step',
    ],
    [
      'for files on a channel',
      bulk({ channel: 'api' }),
      'channel: Only a workflow for imports can be attached',
    ],
    [
      'on a channel that is not here',
      imports({ channel: 'letterbox' }),
      'channel: Files cannot be imported this way here',
    ],
  ])('%s', (_what, body, problem) => {
    expect(problemsOf(body)).toContainEqual(expect.stringContaining(problem))
  })

  test('with every problem together', () => {
    const steps = [{ plugin: 'fly' }, { plugin: 'tag-files', options: {} }, { plugin: 'fetch-url' }]
    expect(
      problemsOf(bulk({ name: '', parallel: 0.5, steps })).map((line) => line.split(':')[0]),
    ).toEqual(['name', 'parallel', 'steps[0].plugin', 'steps[1].options.tags', 'steps[2].plugin'])
  })
})

test('the built-in workflows are valid themselves, except the one that needs a CSV file', () => {
  for (const { title, kind, parallel, steps, id } of parts.workflows) {
    const plugins = steps.map(({ plugin }) => parts.plugins.find((one) => one.id === plugin)!)
    // The options of these actions come with each call.
    const whole = steps.every(
      ({ options }, at) => plugins[at]!.options.safeParse(options ?? {}).success,
    )
    const ofRows = plugins.some((plugin) => 'worksOn' in plugin && plugin.worksOn === 'rows')
    const body = {
      name: title,
      kind,
      parallel,
      steps: steps.map(({ onFailure: on_failure, when, ...step }) => ({
        ...step,
        on_failure,
        when: when && { ...when },
      })),
    }
    const problems = problemsOf({ ...body, channel: id === 'import-api' ? 'api' : null })
    if (whole) expect([id, problems.length > 0]).toEqual([id, ofRows])
  }
})

test('workflows that delete are distinguished from those that restore', () => {
  const taking = parts.workflows
    .filter((workflow) => deletes(workflow, parts.plugins))
    .map(({ id }) => id)
  expect(taking.toSorted()).toEqual([
    'delete-files',
    'merge-duplicates',
    'purge-files',
    'update-from-csv',
    'update-from-feed',
  ])
})
