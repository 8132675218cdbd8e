import { describe, expect, it } from 'vitest'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Item, StagedBlob } from '../contract.ts'
import { validateFile } from './plugin.ts'

const MB = 1024 ** 2
const staged = (size_bytes: number, content_type: string | null = null): StagedBlob => ({
  hash: '0'.repeat(64),
  size_bytes,
  location: 'primary',
  content_type,
})
const judge = async (item: Item) => {
  const outcomes = await Array.fromAsync(validateFile.plan([item], {}, writeContext()))
  return outcomes[0]!
}

pluginSuite(validateFile, async () => ({
  items: [importItem('small', { staged: staged(1) }), importItem('large', { staged: staged(501 * MB) })],
  context: writeContext(),
  state: () => null,
}))

describe('validate-file', () => {
  it('refuses an empty file', async () => {
    expect(await judge(importItem('a', { staged: staged(0) }))).toMatchObject({ code: 'empty_file', retryable: false })
  })
  it('refuses above 5 GB, warns above 500 MB, and is silent up to there', async () => {
    const of = (size: number) => judge(importItem('a', { staged: staged(size) }))
    expect(await of(5 * 1024 * MB + 1)).toMatchObject({ status: 'failed', code: 'file_too_large' })
    expect(await of(5 * 1024 * MB)).toMatchObject({ status: 'ok', warnings: [{ code: 'large_file' }] })
    expect(await of(500 * MB)).toEqual({ item: 'a', status: 'ok' })
  })
  it('warns of a page where the name promises something else', async () => {
    const of = (filename: string, type: string) =>
      judge(importItem('a', { file: { filename }, staged: staged(9, type) }))
    expect(await of('plan.pdf', 'text/html; charset=utf-8')).toMatchObject({ warnings: [{ code: 'web_page' }] })
    expect(await of('plan.pdf', 'application/pdf')).toEqual({ item: 'a', status: 'ok' })
    expect(await of('page.HTML', 'text/html')).toEqual({ item: 'a', status: 'ok' })
    expect(await of('readme', 'text/html')).toEqual({ item: 'a', status: 'ok' })
  })
  it('says nothing of a size that is not known yet', async () => {
    expect(await judge(importItem('a'))).toEqual({ item: 'a', status: 'ok' })
  })
})
