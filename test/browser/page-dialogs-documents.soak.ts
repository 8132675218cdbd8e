// Dialogs for images and PDF documents, each completed on the real server: compress, watermark,
// split, merge.
import { describe, expect, test } from 'vitest'
import sharp from 'sharp'
import { documentOf, renderPages, textsOf } from '../documents.ts'
import { startShelf } from '../fakes/shelf.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { choose, filesBy, previewedTitles, launched, tick } from './dialogs.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer

const page = (text: string) => ({ draws: `BT /F 24 Tf 20 150 Td (${text}) Tj ET` })
const picture = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })

const open = usePages(startShelf, async ({ server: running, origin: { url, documents } }) => {
  server = running
  documents.set('Cover large.jpg', await picture(2600, 1200).jpeg({ quality: 95 }).toBuffer())
  documents.set('Cover small.png', await picture(300, 200).png().toBuffer())
  documents.set('Cover notes.txt', Buffer.from('Not a picture'))
  for (const name of ['one', 'two', 'three'])
    documents.set(`Book ${name}.pdf`, documentOf([page(name)]))
  documents.set('Long book.pdf', documentOf(['first', 'second', 'third', 'fourth'].map(page)))
  const files = [...documents.keys()].map((filename) => ({
    filename,
    url: `${url}/${encodeURIComponent(filename)}`,
  }))
  expect((await importUntilEnd(server, { files, auto_map: false })).imported).toBe(files.length)
})

const by = (search: string) => filesBy(server, search)

async function bytesOf(search: string): Promise<Buffer> {
  const [file] = await by(search)
  return Buffer.from(
    await (await server.call('GET', `/api/files/${file!.id}/content`)).arrayBuffer(),
  )
}

soakTest(
  'images become smaller and WebP, other files are skipped, and the saving is shown',
  async () => {
    const page = await open('/files?search=cover&sort=filename')
    await tick(page, ['Cover large.jpg', 'Cover notes.txt'])
    const dialog = await choose(page, 'Optimize images')
    await dialog.getByText('1 image selected; 1 other file is skipped.').waitFor()
    await dialog.getByLabel('Longer side at most').fill('5')
    await dialog.getByText('Enter a whole number from 16 to 16,000').waitFor()
    await dialog.getByLabel('Longer side at most').fill('1000')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('1 file would be changed').waitFor()
    await dialog.getByText('Cover large.webp').waitFor()
    await dialog.getByRole('button', { name: 'Optimize images' }).click()
    await launched(page)
      .getByText(/^1 file done, 1 skipped$/)
      .waitFor()
    const made = await sharp(await bytesOf('cover large')).metadata()
    expect(made).toMatchObject({ format: 'webp', width: 1000 })
    await launched(page).getByRole('link', { name: 'View details' }).click()
    await page.getByText(/% less\)$/).waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()
  },
)

describe('PDF documents', () => {
  soakTest('are optimized, and the previous version is kept', async () => {
    const page = await open('/files?search=long&sort=filename')
    await tick(page, ['Long book.pdf'])
    const dialog = await choose(page, 'Optimize PDFs')
    await dialog.getByLabel('Password (optional)').fill('not needed')
    await dialog.getByRole('button', { name: 'Optimize PDFs' }).click()
    await launched(page)
      .getByText(/^1 file (done|skipped)|1 skipped$/)
      .waitFor()
    expect((await bytesOf('long book')).subarray(0, 5).toString()).toBe('%PDF-')
    // The password is not in the operation.
    const [last] = (
      (await (await server.call('GET', '/api/operations?limit=1')).json()) as {
        data: { id: string }[]
      }
    ).data
    expect(
      JSON.stringify(await (await server.call('GET', `/api/operations/${last!.id}`)).json()),
    ).not.toContain('not needed')
  })

  soakTest('get a watermark on every page, and a sketch shows its position', async () => {
    const page = await open('/files?search=book+one&sort=filename')
    await tick(page, ['Book one.pdf'])
    const dialog = await choose(page, 'Add a watermark to PDFs')
    await dialog.getByRole('button', { name: 'Add watermark' }).click()
    await dialog.getByText('Enter the text of the watermark').waitFor()
    await dialog.getByLabel('Text', { exact: true }).fill('Sample copy')
    await dialog.locator('.small-mark.diagonal', { hasText: 'Sample copy' }).waitFor()
    await dialog.getByLabel('Position').selectOption('Top left')
    await dialog.locator('.small-mark.top-left').waitFor()
    await dialog.getByLabel('Opacity').fill('50')
    await page.keyboard.press('Enter')
    await launched(page).getByText('Watermark added to 1 file').waitFor()
    expect((await by('book one'))[0]).toMatchObject({ version: 2 })
    // The document's own text is further down.
    const [marked] = await renderPages(await bytesOf('book one'), 72)
    expect(marked!.grey.subarray(0, marked!.width * 60).some((grey) => grey < 200)).toBe(true)
  })

  soakTest('get an image of the shop’s files as their watermark', async () => {
    const page = await open('/files?search=book+two&sort=filename')
    await tick(page, ['Book two.pdf'])
    const dialog = await choose(page, 'Add a watermark to PDFs')
    await dialog.getByText('An image', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Add watermark' }).click()
    await dialog.getByText('Choose an image').waitFor()
    await dialog.getByLabel('Search your images').fill('small')
    await dialog.getByRole('radio', { name: /Cover small\.png/ }).check({ force: true })
    await dialog.getByRole('button', { name: 'Add watermark' }).click()
    await launched(page).getByText('Watermark added to 1 file').waitFor()
    expect((await by('book two'))[0]).toMatchObject({ version: 2 })
  })

  soakTest(
    'are split into parts, which are new files; pages that do not exist are named',
    async () => {
      const page = await open('/files?search=long&sort=filename')
      await tick(page, ['Long book.pdf'])
      const dialog = await choose(page, 'Split PDFs')
      await dialog.getByText('Into ranges of pages').click()
      await dialog.getByLabel('Pages', { exact: true }).fill('1-2, 4-3')
      await dialog.getByText('“4-3” is no range of pages').waitFor()
      await dialog.getByLabel('Pages', { exact: true }).fill('1-2, 3-')
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await dialog.getByText('1 file would be split').waitFor()
      await expect.poll(() => previewedTitles(dialog)).toEqual(['1 file would be split'])
      await dialog.getByRole('button', { name: 'Split PDFs' }).click()
      await launched(page).getByText('1 file split').waitFor()
      await expect
        .poll(async () => (await by('long book')).map(({ filename }) => filename))
        .toEqual(['Long book-1.pdf', 'Long book-2.pdf', 'Long book.pdf'])
      expect(await textsOf(await bytesOf('long book-2'))).toEqual([
        expect.stringContaining('third'),
        expect.stringContaining('fourth'),
      ])
      await launched(page).getByRole('link', { name: 'View details' }).click()
      await page.getByText('Long book-1.pdf, Long book-2.pdf').waitFor()
    },
  )

  test('are merged in the chosen order, set by keyboard and by dragging', async () => {
    const page = await open('/files?search=book&sort=filename')
    await tick(page, ['Book one.pdf', 'Book three.pdf', 'Book two.pdf'])
    const dialog = await choose(page, 'Merge PDFs')
    const rows = dialog.getByRole('list', { name: 'Order of the documents' }).getByRole('listitem')
    const order = async () =>
      (await rows.allInnerTexts()).map((text) => /Book (\w+)/.exec(text)![1])
    await expect.poll(order).toEqual(['one', 'three', 'two'])
    await dialog.getByRole('button', { name: 'Move Book three.pdf up' }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(order).toEqual(['one', 'two', 'three'])
    await dialog.getByText('Book three.pdf is number 3 of 3').waitFor({ state: 'attached' })
    await rows.nth(2).dragTo(rows.nth(0))
    await expect.poll(order).toEqual(['three', 'one', 'two'])
    await dialog.getByLabel('Name of the new document').fill('a/b')
    await dialog.getByText('Names can’t contain / or \\').waitFor()
    await dialog.getByLabel('Name of the new document').fill('Whole story')
    await page.keyboard.press('Enter')
    await launched(page).getByText('3 files merged').waitFor()
    await expect.poll(async () => (await by('whole story')).length).toBe(1)
    expect((await textsOf(await bytesOf('whole story'))).join()).toMatch(
      /three[\s\S]*one[\s\S]*two/,
    )
  })
})

soakTest('selected files are previewed and downloaded as one ZIP file', async () => {
  const page = await open('/files?search=book&sort=filename')
  await tick(page, ['Book one.pdf', 'Book two.pdf'])
  const dialog = await choose(page, 'Download as ZIP')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText(/files-[\d-]+\.zip: 2 files, [\d.]+ KB/).waitFor()
  await dialog.getByRole('button', { name: 'Create ZIP file' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Download files-.*\.zip/ }).click()
  expect((await download).suggestedFilename()).toMatch(/^files-.*\.zip$/)
})

soakTest('files move to the other storage location with their bytes', async () => {
  const page = await open('/files?search=cover&sort=filename')
  await tick(page, ['Cover small.png', 'Cover notes.txt'])
  const dialog = await choose(page, 'Change storage')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('2 files would be moved or copied').waitFor()
  await dialog.getByRole('button', { name: 'Move files' }).click()
  await launched(page).getByText('2 files stored there').waitFor()
  expect((await bytesOf('cover notes')).toString()).toBe('Not a picture')
})
