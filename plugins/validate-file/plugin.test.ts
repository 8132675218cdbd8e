import { describe, expect, it } from 'vitest'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { english, type Entry, type Item, type Outcome, type StagedBlob } from '../contract/index.ts'
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
  items: [
    importItem('small', { staged: staged(1) }),
    importItem('large', { staged: staged(501 * MB) }),
  ],
  context: writeContext(),
  state: () => null,
}))

describe('validate-file', () => {
  it('refuses an empty file', async () => {
    expect(await judge(importItem('a', { staged: staged(0) }))).toMatchObject({
      code: 'empty_file',
      retryable: false,
    })
  })
  it('refuses above 5 GB, warns above 500 MB, and accepts smaller files silently', async () => {
    const of = (size: number) => judge(importItem('a', { staged: staged(size) }))
    expect(await of(5 * 1024 * MB + 1)).toMatchObject({ status: 'failed', code: 'file_too_large' })
    expect(await of(5 * 1024 * MB)).toMatchObject({
      status: 'ok',
      warnings: [{ code: 'large_file' }],
    })
    expect(await of(500 * MB)).toEqual({ item: 'a', status: 'ok' })
  })
  it('warns of a web page whose name has another extension', async () => {
    const of = (filename: string, type: string) =>
      judge(importItem('a', { file: { filename }, staged: staged(9, type) }))
    expect(await of('plan.pdf', 'text/html; charset=utf-8')).toMatchObject({
      warnings: [{ code: 'web_page' }],
    })
    expect(await of('plan.pdf', 'application/pdf')).toEqual({ item: 'a', status: 'ok' })
    expect(await of('page.HTML', 'text/html')).toEqual({ item: 'a', status: 'ok' })
    expect(await of('readme', 'text/html')).toEqual({ item: 'a', status: 'ok' })
  })
  it.each([
    ['plan.pdf', 'text/html', 'web_page'],
    ['plan.docx', 'text/html', 'web_page'],
    ['plan.pdf', 'application/x-msdownload', 'content_mismatch'],
    ['photo.jpg', 'application/x-elf', 'content_mismatch'],
    ['plan.pdf', 'image/png', 'content_mismatch'],
    ['song.mp3', 'application/pdf', 'content_mismatch'],
    ['plan.pdf', 'application/json', 'web_page'],
    ['photo.jpg', 'application/xml', 'web_page'],
    ['book.epub', 'application/json', 'web_page'],
    ['presets.zip', 'application/xml', 'web_page'],
    ['sheet.xlsx', 'application/xml', 'web_page'],
    ['track.gpx', 'application/xml', null],
    ['data.json', 'application/json', null],
    ['preset.ours', 'application/json', null],
    ['list.m3u8', 'application/octet-stream', null],
    ['plan.pdf', 'application/pdf', null],
    ['photo.jpg', 'image/png', 'content_mismatch'],
    ['plan.pdf', 'application/zip', 'content_mismatch'],
    ['plan.pdf', 'image/svg+xml', 'content_mismatch'],
    ['plan.zip', 'application/pdf', 'content_mismatch'],
    ['plan.zip', 'application/x-rar-compressed', 'content_mismatch'],
    ['plan.zip', 'application/gzip', 'content_mismatch'],
    ['song.wav', 'audio/mpeg', 'content_mismatch'],
    ['song.mp3', 'audio/wav', 'content_mismatch'],
    ['song.flac', 'audio/mpeg', 'content_mismatch'],
    ['film.mp4', 'video/matroska', 'content_mismatch'],
    ['book.epub', 'application/x-mobipocket-ebook', 'content_mismatch'],
    ['book.pdf', 'application/epub+zip', 'content_mismatch'],
    ['font.otf', 'font/woff2', 'content_mismatch'],
    [
      'sheet.docx',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'content_mismatch',
    ],
    ['plan.pdf', 'application/x-sqlite3', 'content_mismatch'],
    ['export.xls', 'text/plain', 'content_mismatch'],
    ['export.xls', 'text/html', 'content_mismatch'],
    ['letter.doc', 'text/html', 'content_mismatch'],
    ['plan.pdf', 'text/plain', 'web_page'],
    ['photo.jpg', 'text/plain', 'web_page'],
    ['plan.zip', 'text/plain', 'web_page'],
    ['song.mp3', 'text/plain', 'web_page'],
    ['book.epub', 'text/plain', 'web_page'],
    ['list.csv', 'text/plain', null],
    ['notes.txt', 'application/json', null],
    ['cut.dxf', 'text/plain', null],
    ['cut.plt', 'text/plain', null],
    ['cut.gcode', 'text/plain', null],
    ['model.obj', 'text/plain', null],
    ['model.stl', 'text/plain', null],
    ['cut.svg', 'text/plain', null],
    ['cut.svg', 'image/svg+xml', null],
    ['logo.eps', 'application/postscript', null],
    ['logo.eps', 'application/eps', null],
    ['logo.ai', 'application/postscript', null],
    ['letter.doc', 'application/rtf', null],
    ['secret.docx', 'application/x-cfb', null],
    ['mail.msg', 'application/vnd.ms-outlook', null],
    ['set.abr', 'application/x-cfb', null],
    ['set.procreate', 'application/zip', null],
    ['app.apk', 'application/vnd.android.package-archive', null],
    ['app.jar', 'application/java-archive', null],
    ['comic.cbz', 'application/zip', null],
    ['comic.cbr', 'application/zip', null],
    ['book.azw', 'application/x-mobipocket-ebook', null],
    ['photo.heif', 'image/heic', null],
    ['photo.dng', 'image/tiff', null],
    ['song.m4b', 'audio/mp4', null],
    ['song.opus', 'audio/ogg; codecs=opus', null],
    ['film.mov', 'video/mp4', null],
    ['font.ttf', 'font/otf', null],
    ['kit.7z.001', 'application/x-7z-compressed', null],
    ['database.pages', 'application/zip', null],
    ['film.mp4', 'video/quicktime', null],
    ['song.m4a', 'video/mp4', null],
    ['book.epub', 'application/epub+zip', null],
    ['sheet.xlsx', 'application/zip', null],
    ['drawing.ai', 'application/pdf', null],
    ['drawing.svg', 'application/xml', null],
    ['drawing.svg', 'text/html', 'web_page'],
    ['prices.csv', 'text/html', 'web_page'],
    ['colours.cube', 'text/html', 'web_page'],
    ['cut.dxf', 'text/html', 'web_page'],
    ['notes.txt', 'text/html', null],
    ['section.liquid', 'text/html', null],
    ['rose.pes', 'text/plain', 'web_page'],
    ['rose.DST', 'application/xml', 'web_page'],
    ['rose.pes', 'application/octet-stream', null],
    ['set.brushset', 'application/json', 'web_page'],
    ['set.brushset', 'application/zip', null],
    ['plan.dwg', 'text/html', 'web_page'],
    ['score.mscz', 'text/plain', 'web_page'],
    ['kit.afdesign', 'text/plain', 'web_page'],
    ['bank.sf2', 'text/html', 'web_page'],
    ['setup.dmg', 'application/json', 'web_page'],
    ['logo.eps', 'text/plain', 'content_mismatch'],
    ['logo.eps', 'text/html', 'web_page'],
    ['letter.rtf', 'application/json', 'web_page'],
    ['film.m2ts', 'text/plain', 'web_page'],
    ['index.d.mts', 'text/plain', 'content_mismatch'],
    ['page.html', 'text/html', null],
    ['setup.exe', 'application/x-msdownload', null],
    ['no ending', 'application/x-elf', null],
    ['odd.ending-of-ours', 'application/x-elf', null],
  ])('%s whose bytes are %s: %s', async (filename, found_type, code) => {
    const outcome = await judge(
      importItem('a', { file: { filename }, staged: { ...staged(9), found_type } }),
    )
    const warnings = (outcome as { warnings?: { code: string }[] }).warnings ?? []
    expect(warnings.map((warning) => warning.code)).toEqual(code === null ? [] : [code])
  })
  it.each([
    ['Sourdough guide', 'application/pdf', 'no_extension', '.pdf'],
    ['Guide v1.2', 'image/jpeg', 'no_extension', '.jpg'],
    ['Vol. 2', 'application/zip', 'no_extension', '.zip'],
    ['Sourdough guide', 'text/html', 'web_page', 'web page'],
    ['LICENSE', 'application/json', null, ''],
    ['archive.7z', 'application/x-7z-compressed', null, ''],
    ['Brushes.procreate', 'application/zip', null, ''],
    ['Pack.brushlibrary', 'application/zip', null, ''],
    ['Kit.zip.001', 'application/zip', null, ''],
    ['Набор.архив', 'application/zip', null, ''],
    ['Sketch.my-format', 'application/zip', null, ''],
    ['Price 1.250', 'application/zip', 'no_extension', '.zip'],
    ['Mr. Smith', 'application/pdf', 'no_extension', '.pdf'],
  ])('warns of the name %s, which does not say that it is %s', async (name, found, code, says) => {
    const source = { type: 'url', url: 'https://cdn.example.com/x' } as const
    const item = importItem('a', {
      entry: { source },
      file: { filename: name },
      staged: { ...staged(9), found_type: found },
    })
    const { warnings = [] } = (await judge(item)) as Extract<Outcome, { status: 'ok' }>
    expect(warnings.map((warning) => warning.code)).toEqual(code === null ? [] : [code])
    for (const { message } of warnings) expect(english(message)).toContain(says)
  })
  it('says that a server sent a message, and what to do', async () => {
    const message = {
      file: { filename: 'plan.pdf' },
      staged: { ...staged(9), found_type: 'application/json' },
    }
    const options = validateFile.options.parse({})
    const refused = async (item: Item) => {
      const [outcome] = await Array.fromAsync(validateFile.plan([item], options, writeContext()))
      const { status, message } = outcome as Extract<Outcome, { status: 'failed' }>
      return [status, english(message)]
    }
    const upload = { source: { type: 'upload', id: 'x' } } as unknown as Partial<Entry>
    expect(await refused(importItem('a', { ...message, entry: upload }))).toEqual([
      'failed',
      'It is a message of a server (JSON or XML) instead of the file. Open it in a text editor to read it',
    ])
    const source = { type: 'url', url: 'https://bucket.example.com/plan.pdf' } as const
    expect(await refused(importItem('a', { ...message, entry: { source } }))).toEqual([
      'failed',
      'It is a message of a server (JSON or XML) instead of the file. Open the address in a browser: it may have expired, or need a sign-in',
    ])
  })
  it('accepts a size that is not known yet', async () => {
    expect(await judge(importItem('a'))).toEqual({ item: 'a', status: 'ok' })
  })
})
