import { describe, expect, it } from 'vitest'
import { COMMANDS, type Command, type RowMatch } from './columns.ts'
import { actionOfRow } from './row-actions.ts'

const targets = (match: RowMatch) => ({
  match,
  known: new Map([
    ['own', { deleted: false }],
    ['gone', { deleted: true }],
  ]),
  owners: new Map([['a.pdf', 'own']]),
  trashed: new Map([['gone.pdf', 'gone']]),
})
const row = (
  command: Command | null,
  given: { id?: string; filename?: string; fetches?: boolean },
) => ({
  id: null,
  filename: '',
  fetches: false,
  ...given,
  command,
})
const done = (
  command: Command | null,
  given: Parameters<typeof row>[1],
  match: RowMatch = 'id',
) => {
  const { action, problem } = actionOfRow(row(command, given), targets(match))
  return problem ? [action.type, problem.field, problem.severity, problem.code] : [action.type]
}

describe('a row with an id', () => {
  it.each([
    [null, 'own', false, ['change']],
    ['update', 'own', false, ['change']],
    ['update', 'own', true, ['fetch']],
    ['merge', 'own', true, ['fetch']],
    ['delete', 'own', false, ['delete']],
    ['restore', 'gone', false, ['restore']],
    ['restore', 'own', false, ['none', 'command', 'warning', 'no_change']],
    ['delete', 'gone', false, ['none', 'command', 'warning', 'no_change']],
    ['update', 'gone', false, ['none', 'id', 'error', 'file_not_found']],
    ['update', 'other', false, ['none', 'id', 'error', 'file_not_found']],
    ['ignore', 'other', false, ['none']],
  ] as const)('%s of the file %s, with an address: %s', (command, id, fetches, expected) =>
    expect(done(command, { id, fetches })).toEqual(expected),
  )
})

describe('a row without an id', () => {
  it.each([
    [null, 'A.pdf', false, ['change']],
    [null, 'a.pdf', true, ['fetch']],
    [null, 'b.pdf', true, ['import']],
    [null, 'b.pdf', false, ['none', 'file_url', 'error', 'required']],
    ['merge', 'a.pdf', true, ['fetch']],
    ['merge', 'b.pdf', true, ['import']],
    ['new', 'a.pdf', true, ['import']],
    ['update', 'b.pdf', false, ['none', 'filename', 'error', 'file_not_found']],
    ['delete', 'a.pdf', false, ['delete']],
    ['delete', 'gone.pdf', false, ['none', 'command', 'warning', 'no_change']],
    ['delete', 'b.pdf', false, ['none', 'filename', 'error', 'file_not_found']],
    ['restore', 'gone.pdf', false, ['restore']],
    ['restore', 'a.pdf', false, ['none', 'command', 'warning', 'no_change']],
  ] as const)(
    'matched by name: %s of %s, with an address: %s',
    (command, filename, fetches, expected) =>
      expect(done(command, { filename, fetches }, 'filename')).toEqual(expected),
  )

  it('imports a new file when rows match by id, even if its name is taken', () => {
    const all = [null, ...COMMANDS].map((command) => [
      command,
      done(command, { filename: 'a.pdf', fetches: true })[0],
    ])
    expect(Object.fromEntries(all)).toEqual({
      null: 'import',
      new: 'import',
      merge: 'import',
      update: 'none',
      delete: 'none',
      restore: 'none',
      ignore: 'none',
    })
  })
})
