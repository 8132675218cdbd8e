// The address from which the table of a feed is fetched.
import { expect, test } from 'vitest'
import { tableAddress } from './fetch-table.ts'

const SHEET = 'https://docs.google.com/spreadsheets/d/1aB_c-D'
const EXPORT = `${SHEET}/export?format=csv`

test.each([
  [`${SHEET}/edit`, EXPORT],
  [`${SHEET}/edit?usp=sharing#gid=42`, `${EXPORT}&gid=42`],
  [`${SHEET}/view?gid=7`, `${EXPORT}&gid=7`],
  // What is an export already, and everything else, stays.
  [`${SHEET}/export?format=xlsx`, `${SHEET}/export?format=xlsx`],
  ['https://example.com/feed.csv?key=1', 'https://example.com/feed.csv?key=1'],
])('%s', (given, address) => expect(tableAddress(given)).toBe(address))
