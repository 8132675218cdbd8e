import { expect, test } from 'vitest'
import { type Alternative } from '../../../shell/client/plugins.ts'
import { chosenAt, usualAt, withChoice, withField } from './alternatives.ts'

const expiry: Alternative = {
  title: 'Links expire',
  choices: [
    { label: 'Leave unchanged', fields: [] },
    { label: 'After days', fields: ['days'] },
    { label: 'Add days', fields: ['more_days'] },
    { label: 'Never', fields: [], set: { days: null } },
  ],
}
const schemas = { days: { type: 'integer', start: 60 }, more_days: { type: 'integer' } }

test('the choice is read from the options', () => {
  expect(chosenAt(expiry, {})).toBe(0)
  expect(chosenAt(expiry, { days: 5 })).toBe(1)
  expect(chosenAt(expiry, { more_days: '' })).toBe(2)
  expect(chosenAt(expiry, { days: null })).toBe(3)
})

test('another choice removes the options of the first one', () => {
  const days = withChoice(expiry, 1, { other: true }, schemas)
  expect(days).toEqual({ other: true, days: 60 })
  expect(withChoice(expiry, 2, days, schemas)).toEqual({ other: true, more_days: '' })
  expect(withChoice(expiry, 3, days, schemas)).toEqual({ other: true, days: null })
  expect(withChoice(expiry, 0, days, schemas)).toEqual({ other: true })
})

test('a choice stays selected while its field is empty', () => {
  const choice = expiry.choices[1]!
  expect(chosenAt(expiry, { days: withField(choice, 'days', undefined) })).toBe(1)
  expect(withField(choice, 'days', 7)).toBe(7)
})

test('lists: an empty one with its own meaning, and one that is still to be filled', () => {
  const sites: Alternative = {
    title: 'Sites',
    choices: [
      { label: 'Leave', fields: [] },
      { label: 'Any', fields: [], set: { sites: [] } },
      { label: 'These', fields: ['sites'] },
    ],
  }
  expect(chosenAt(sites, withChoice(sites, 1, {}, {}))).toBe(1)
  expect(chosenAt(sites, withChoice(sites, 2, {}, {}))).toBe(2)
  expect(chosenAt(sites, { sites: withField(sites.choices[2]!, 'sites', []) })).toBe(2)
})

test('the initial choice is the plain one, or the one that the shop’s settings make usual', () => {
  const mark = (usual?: true): Alternative => ({
    title: 'Mark',
    choices: [
      { label: 'A text', fields: ['text'] },
      { label: 'The shop’s', fields: [], set: { saved: true }, ...(usual ? { usual } : {}) },
    ],
  })
  expect([usualAt(expiry), usualAt(mark()), usualAt(mark(true))]).toEqual([0, 0, 1])
  expect(chosenAt(mark(true), {})).toBe(0)
})
