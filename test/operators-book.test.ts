import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { environmentSchema } from '../server/core/configuration/environment-schema.ts'
import { ADDRESSES, bookBlocks, movedInto, readBook } from './operators-book.ts'

const { scripts } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../package.json'), 'utf8'),
) as { scripts: Record<string, string> }
const run = bookBlocks('sh').filter(({ notRun }) => notRun === null)
const EXPORTER = /^OTEL_(EXPORTER_OTLP|SERVICE_NAME|RESOURCE_ATTRIBUTES)/

test('every shell block is run, or says why not', () => {
  expect(run.length).toBeGreaterThan(8)
  const fences = readBook().match(/^ *```(sh|bash|shell|console)$/gm) ?? []
  expect(bookBlocks('sh').length).toBe(fences.length)
  for (const { notRun, line } of bookBlocks('sh'))
    if (notRun !== null) expect(notRun.length, `line ${line}`).toBeGreaterThan(20)
})

test.each(run)('the block in line $line can be run elsewhere', ({ text }) => {
  // A placeholder that is not replaced.
  expect(text).not.toContain('…')
  for (const [, script] of text.matchAll(/npm run ([\w-]+)/g))
    expect(scripts).toHaveProperty(script!)
  const moved = movedInto('/made-up', text)
  // Every folder is inside, except that of addresses.
  const outside = [...moved.matchAll(/(?<=^|[\s'"=])\/(?!made-up)[\w.-]+/gm)].map(([name]) => name)
  expect(outside).toEqual([])
  const addresses = [...text.matchAll(/postgres:\S+/g)].map(([address]) => address)
  const known: string[] = Object.values(ADDRESSES)
  expect(addresses.filter((each) => !known.includes(each))).toEqual([])
})

test('every setting of a block and of the table exists', () => {
  const settings = Object.keys(environmentSchema.shape)
  const blocks = [...bookBlocks('ini'), ...run].map(({ text }) => text).join('\n')
  const named = [...blocks.matchAll(/^(?:export )?([A-Z][A-Z0-9_]{3,})=/gm)].map(
    ([, name]) => name!,
  )
  expect(named.length).toBeGreaterThan(12)
  expect(named.filter((name) => !settings.includes(name) && !EXPORTER.test(name))).toEqual([])
  // And the page describes every setting.
  const page = readBook()
  const patterns = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'CLOUD_']
  const missing = settings.filter(
    (name) => !page.includes(`\`${name}`) && !patterns.some((start) => name.startsWith(start)),
  )
  expect(missing).toEqual([])
})
