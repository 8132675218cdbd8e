import { expect, test } from 'vitest'
import { type Operation, type OperationAction } from '../../shell/client/types.ts'
import {
  actionChoices,
  awaitsFiles,
  labelText,
  operationTitle,
  receivedTexts,
  sourceText,
  waitingCount,
  workedCount,
} from './labels.ts'
import { actionWord } from './operation-action.ts'
import { outcomeText } from './operation-outcome.ts'
import { itemWord, statusWord } from './operation-status.ts'

const operation = (part: Partial<Operation>): Operation =>
  ({
    kind: 'import',
    status: 'running',
    total: 200,
    done: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
    actions: [],
    cannot_undo: [],
    ...part,
  }) as Operation

/** In a page whose channels add nothing. */
const wordOf = (action: OperationAction, about: Operation) => actionWord(action, about, [])

test('an import is named after its channel, anything else after its workflow or action', () => {
  const channels = [
    { id: 'post', title: 'Post', imports: { title: 'Post import', plural: 'Post imports' } },
    { id: 'page', title: 'Page', imports: null },
  ]
  const title = (part: { kind: 'import' | 'bulk'; channel: string; workflow_title?: string }) =>
    operationTitle({ action: 'sort-files', ...part }, channels)
  expect(title({ kind: 'import', channel: 'post' })).toBe('Post import')
  expect(title({ kind: 'import', channel: 'pigeon' })).toBe('Import')
  const bulk = { kind: 'bulk', channel: 'page' } as const
  expect(title({ ...bulk, workflow_title: 'Sort them' })).toBe('Sort them')
  expect(title(bulk)).toBe('Sort files')
  expect(operationTitle({ ...bulk, action: '' }, channels)).toBe('Operation')
  expect(title({ ...bulk, workflow_title: 'Undo: Sort files' })).toBe('Undo: Sort files')
})

test('the waiting count is what has not ended, and never below zero', () => {
  expect(waitingCount(operation({ done: 100, failed: 4, skipped: 3, cancelled: 2 }))).toBe(91)
  expect(waitingCount(operation({ done: 201 }))).toBe(0)
})

test('an import that waits for the next upload shows no time left', () => {
  const waiting = operation({ total: 98, done: 97, failed: 1, receiving: true })
  expect(awaitsFiles(waiting)).toBe(true)
  expect(receivedTexts(waiting)).toEqual(['98 files so far', 'waiting for more files'])
  expect(awaitsFiles({ ...waiting, total: 99 })).toBe(false)
  expect(awaitsFiles({ ...waiting, receiving: false })).toBe(false)
  expect(awaitsFiles({ ...waiting, status: 'cancelled' })).toBe(false)
})

test('the number of other files is a text of the page', () => {
  const channel = 'post'
  const labelled = (label: string | null, label_text: Operation['label_text']) =>
    labelText({ label, label_text, channel }, [])
  const more = { message: '{name} and {count} more', values: { name: 'a.pdf', count: 1405 } }
  expect(labelled('a.pdf and 1,405 more', more)).toBe('a.pdf and 1,405 more')
  const name = { message: '{text}', values: { text: 'files.csv' } }
  expect(labelled('files.csv', name)).toBe('files.csv')
  expect(labelled(null, null)).toBeNull()
})

test('a channel translates the labels of its operations and says what their undo leaves as it is', () => {
  const post = {
    id: 'post',
    labelText: (label: string) => label.toUpperCase(),
    undoNote: 'What was sent stays sent.',
  }
  const label_text = { message: '{text}', values: { text: 'letter' } }
  const sent = operation({ channel: 'post', label: 'letter', label_text })
  const other = { ...sent, channel: 'page' }
  expect([sent, other].map((one) => labelText(one, [post]))).toEqual(['LETTER', 'letter'])
  const noted = (one: Operation) =>
    actionWord('undo', one, [post]).question?.text.includes(post.undoNote)
  expect([sent, other].map(noted)).toEqual([true, false])
})

test('a partial operation shows how many failed and what to do', () => {
  const outcome = outcomeText(operation({ status: 'partial', done: 191, failed: 9 }))
  expect(outcome?.title).toBe('9 of 200 files failed')
  expect(outcome?.advice).toContain('191 files are imported')
  expect(outcomeText(operation({ status: 'partial', done: 199, failed: 1 }))?.title).toBe(
    '1 of 200 files failed',
  )
})

test('a failed one shows whether anything was done', () => {
  expect(outcomeText(operation({ status: 'failed', failed: 200 }))?.title).toBe(
    'No file was imported',
  )
  expect(outcomeText(operation({ status: 'failed', done: 1, failed: 199 }))?.title).toBe(
    'Only 1 file was imported',
  )
})

test('a cancelled one shows its progress, and omits files that were not processed', () => {
  const cancelled = operation({ status: 'cancelled', total: 40, done: 16, cancelled: 24 })
  expect(workedCount(cancelled)).toBe(16)
  expect(statusWord(cancelled).text).toBe('Cancelled')
  expect(outcomeText(cancelled)).toEqual({
    title: '16 of 40 files were imported',
    advice: '24 files were not started. Finished files keep their changes.',
  })
})

test('a discarded preview shows that it changed nothing', () => {
  const discarded = operation({
    status: 'cancelled',
    preview: true,
    discarded: true,
    total: 132,
    cancelled: 132,
  })
  expect(workedCount(discarded)).toBe(0)
  expect(statusWord(discarded).text).toBe('Preview discarded')
  expect(outcomeText(discarded)?.title).toBe('Preview discarded: nothing was changed')
})

test('success and running operations have no message', () => {
  expect(outcomeText(operation({ status: 'success', done: 200 }))).toBeNull()
  expect(outcomeText(operation({ status: 'running' }))).toBeNull()
})

test('the selection reads like the list’s filters', () => {
  const total = 7
  expect(sourceText({ source: { type: 'entries' }, total })).toBeNull()
  expect(sourceText({ source: { type: 'files', count: 1 }, total: 1 })).toBe('1 selected file')
  expect(sourceText({ source: { type: 'filter', filter: {} }, total })).toBe(
    'All files (7 files at the start)',
  )
  expect(
    sourceText({ source: { type: 'filter', filter: { deleted: true, tags: ['a'] } }, total }),
  ).toBe('Files with: in the trash; tagged a (7 files at the start)')
})

test('a preview uses the conditional', () => {
  const file_id = 'file_1'
  const word = (item: Parameters<typeof itemWord>[0], preview = true) =>
    itemWord(item, preview).text
  expect(word({ status: 'done', after: { cdn: true }, file_id })).toBe('Would change')
  expect(word({ status: 'done', after: null, file_id })).toBe('No change')
  expect(word({ status: 'done', after: null, file_id: null })).toBe('Would be imported')
  expect(word({ status: 'done', after: null, file_id }, false)).toBe('Done')
  expect(word({ status: 'failed', after: null, file_id: null })).toBe('Would fail')
})

test('a preview is discarded without a confirmation; a running operation is not', () => {
  expect(wordOf('cancel', operation({ status: 'previewed' }))).toEqual({
    text: 'Discard preview',
  })
  const running = wordOf('cancel', operation({ done: 50 }))
  expect(running.question?.text[0]).toContain('50 files have been imported')
  expect(running.question?.text.at(-1)).toContain('150 waiting files are not changed')
})

test('an undo names what it cannot revert', () => {
  const { question } = wordOf(
    'undo',
    operation({ kind: 'bulk', status: 'success', done: 1, cannot_undo: ['Mail'] }),
  )
  expect(question?.text[0]).toContain('1 file is restored')
  expect(question?.text.at(-1)).toBe('This step can’t be undone: Mail.')
})

test('a cancel does not promise an undo that is impossible', () => {
  const said = (part: Partial<Operation>) =>
    wordOf('cancel', operation({ kind: 'bulk', done: 2, ...part })).question!.text.slice(0, -1)
  expect(said({}).at(-1)).toBe('You can undo that later.')
  expect(said({ cannot_undo: ['Delete permanently'] })).toEqual([
    '2 files have been changed and stay changed.',
    'This step can’t be undone: Delete permanently.',
  ])
  expect(said({ undoes: 'op_1' })).toEqual(['2 files have been changed and stay changed.'])
})

test('an operation that stopped at a step without files is retried, not “0 failed files”', () => {
  expect(wordOf('retry', operation({ status: 'failed' })).text).toBe('Try again')
  expect(wordOf('retry', operation({ status: 'partial', failed: 1 })).text).toBe(
    'Retry 1 failed file',
  )
})

test('files that were not started before a cancel can be resumed', () => {
  const said = (part: Partial<Operation>) =>
    wordOf('retry', operation({ status: 'cancelled', ...part })).text
  expect(said({ cancelled: 24 })).toBe('Resume 24 files not started')
  expect(said({ cancelled: 1 })).toBe('Resume 1 file not started')
  expect(said({ failed: 2, cancelled: 24 })).toBe(
    'Retry 2 failed files and resume the 24 not started',
  )
})

test('the history filters by existing values and by any creator', () => {
  const builtIn = { kind: 'bulk', built_in: true }
  const fromLists = [{ id: 'sheet-update', title: 'Sheet update' }]
  const workflows = [
    { id: 'sort-files', name: 'Sort files', ...builtIn },
    { id: 'stamp-files', name: 'Stamp files', ...builtIn },
    { id: 'workflow_1', name: 'Mine', kind: 'bulk', built_in: false },
    { id: 'import-post', name: 'CSV import', kind: 'import', built_in: true },
  ]
  const choices = actionChoices(workflows, fromLists)
  expect(choices).toEqual({
    'sort-files': 'Sort files',
    'stamp-files': 'Stamp files',
    'sheet-update': 'Sheet update',
    undo: 'Undo',
    import: 'Import',
    workflow: 'Custom workflow',
  })
})
