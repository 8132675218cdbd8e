import { expect, test } from 'vitest'
import { pluginOf } from '../../shell/client/plugin-sample.ts'
import { adviceFor } from './advice.ts'

const plugins = [
  pluginOf('fetch', [], { advice: { gone: 'Correct the URLs.' } }),
  pluginOf('shrink', [], { advice: { gone: 'Never shown.', huge: 'Split the files.' } }),
  pluginOf('other', [], { advice: { odd: 'Never shown.' } }),
]
const step = (plugin: string) => ({
  id: plugin,
  plugin,
  title: plugin,
  summary: '',
  summary_text: { message: '', values: {} },
})
const operation = { steps: [step('fetch'), step('shrink')] }
const item = (code: string, message: string, status: 'failed' | 'done' = 'failed') => ({
  status,
  error: { code, message, retryable: false },
})

test('each piece of advice once, from the plugins that ran, only for failed files', () => {
  const items = [
    item('gone', 'Not accessible'),
    item('huge', 'Too large'),
    item('gone', 'Not accessible'),
    item('odd', 'Odd'),
    item('huge', 'Too large', 'done'),
  ]
  expect(adviceFor(operation, items, plugins)).toEqual([
    { text: 'Correct the URLs.', errors: ['Not accessible'] },
    { text: 'Split the files.', errors: ['Too large'] },
  ])
})
