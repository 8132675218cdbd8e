// The page is mirrored for languages that are written from right to left: its own styles name no
// side of the screen.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const SIDES =
  /(?:^|[;{\s])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)(?:-\w+)?|left|right|border-(?:top|bottom)-(?:left|right)-radius|(?:text-align|float|clear)\s*:\s*(?:left|right))\s*[:;}]/

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.css') && !file.startsWith('dist'),
)

test.each(files)('%s has only logical properties', (file) => {
  const css = readFileSync(path.join(import.meta.dirname, file), 'utf8')
  expect(css.split('\n').filter((line) => SIDES.test(`${line} `))).toEqual([])
})

test.each(['  margin-left: 1px;', '  left: 0;', '  text-align: right;', 'a{padding-right:1px}'])(
  '%s names a side',
  (line) => expect(line).toMatch(SIDES),
)
