// Operations and notices on the admin page, in a real browser on the real server: while they run,
// and after they end.
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { jobUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin

const open = usePages(startOrigin, async (world) => {
  ;({ server, origin } = world)
})

async function startImport(paths: readonly string[]): Promise<string> {
  const files = paths.map((path, n) => ({
    filename: `${path.split('/').at(-1)} ${n}.bin`,
    url: origin.url + path,
  }))
  const response = await server.call(
    'POST',
    '/api/files/import',
    { files },
    { prefer: 'respond-async' },
  )
  return ((await response.json()) as { job_id: string }).job_id
}

test('an empty history says what it will contain', async () => {
  const page = await open('/operations')
  await page.getByRole('heading', { name: 'Nothing has run yet' }).waitFor()
})

test('an import is shown live from start to end', async () => {
  const page = await open('/operations')
  await page.getByRole('heading', { name: 'Operations' }).waitFor()
  // The last two files wait for a third request, which the test sends when it has seen enough.
  const job = await startImport([
    ...Array.from({ length: 8 }, (_, n) => `/bytes/${500 + n}/ready`),
    '/together/3/bytes/100/late',
    '/together/3/bytes/101/late',
    '/nothing/missing',
  ])
  const row = page.locator('main tbody tr').first()
  await row.getByText('In progress').waitFor()
  await row.getByRole('link', { name: 'API import' }).click()
  await page.getByRole('tab', { name: 'Done 8' }).waitFor()
  await expect.poll(() => page.title()).toMatch(/^\d+% API import · Stevedore$/)
  await (await fetch(`${origin.url}/together/3/bytes/1/release`)).arrayBuffer()
  await page.getByText('11 of 11').waitFor()
  await page.getByText('1 of 11 files failed').waitFor()
  await expect.poll(() => page.title()).toBe('API import: Partial · Stevedore')
  await page.getByRole('link', { name: 'Show failed files' }).click()
  await page.waitForURL(`**/operations/${job}?status=failed`)
  const failed = page.locator('main tbody tr')
  await failed.getByText('File URL not accessible').waitFor()
  await expect.poll(() => failed.count()).toBe(1)
  await page.getByRole('tab', { name: 'Done 10' }).click()
  await page.getByRole('link', { name: 'ready 0.bin' }).click()
  await page.getByRole('heading', { name: 'ready 0.bin' }).waitFor()
})

test('the history is filtered, and the address keeps the filters', async () => {
  await jobUntilEnd(server, await startImport(['/bytes/10/fine']))
  const page = await open('/operations')
  const rows = page.locator('main tbody tr')
  await page.getByText('2 operations', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Status', exact: true }).click()
  await page.locator('label').getByText('Partial', { exact: true }).click()
  await page.keyboard.press('Escape')
  await page.getByText('1 operation', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('1 operation', { exact: true }).waitFor()
  await expect.poll(() => rows.first().textContent()).toContain('Partial')
  await page.goto(`${server.url}/operations?status=cancelled`)
  await page.getByRole('heading', { name: 'No operation matches' }).waitFor()
  await page.getByRole('button', { name: 'Show all operations' }).click()
  await page.getByText('2 operations', { exact: true }).waitFor()
})

test('a retry offers the workflow as it is now, and as it was', async () => {
  const post = async (route: string, body: object, method = 'POST') =>
    (await server.call(method, route, body)).json() as Promise<{ id: string; job_id: string }>
  const broken = { filename: 'broken.pdf', url: `${origin.url}/bytes/700/broken` }
  await jobUntilEnd(server, (await post('/api/files/import', { files: [broken] })).job_id)
  const workflow = { name: 'Finish', kind: 'bulk', parallel: 1 }
  const tagged = { plugin: 'tag-files', options: { mode: 'add', tags: ['mended'] } }
  const optimized = { ...workflow, steps: [{ plugin: 'optimize-pdf' }] }
  const { id } = await post('/api/workflows', optimized)
  const select = { filter: { name_contains: 'broken' } }
  const operation = (await post('/api/operations', { workflow: id, select })).id
  const page = await open(`/operations/${operation}`)
  const retry = page.getByRole('button', { name: 'Retry 1 failed file' })
  await retry.click()
  // Nothing was changed: it runs again without a question.
  await page.getByText('Started again').waitFor()
  await page.getByRole('heading', { name: 'Failed' }).or(retry).first().waitFor()
  await post(`/api/workflows/${id}`, { ...workflow, steps: [tagged] }, 'PUT')
  await page.reload()
  await page.getByText('was changed since.').waitFor()
  await retry.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Adds the tags mended').or(dialog.getByText('mended')).first().waitFor()
  await dialog.getByRole('button', { name: 'Retry as it was' }).waitFor()
  await dialog.getByRole('button', { name: 'Retry with the workflow as it is now' }).click()
  await page.getByRole('tab', { name: 'Done 1' }).waitFor()
  await expect.poll(() => page.getByText('was changed since.').count()).toBe(0)
})

test('notices are counted, link to their operation, and are marked as read', async () => {
  await jobUntilEnd(server, await startImport(['/nothing/missing']))
  const page = await open('/files')
  const bell = page.getByRole('link', { name: /^Notices: \d unread$/ })
  await bell.click()
  await page.getByRole('heading', { name: 'Notices', exact: true }).waitFor()
  const unread = page.locator('article.unread')
  await unread.first().waitFor()
  const before = await unread.count()
  expect(before).toBeGreaterThan(0)
  await unread.first().getByRole('link', { name: 'View details' }).click()
  await page.waitForURL('**/operations/import_*')
  await page.goBack()
  await page.locator('article').first().waitFor()
  await expect.poll(() => unread.count()).toBe(before - 1)
  if (before > 1) await page.getByRole('button', { name: 'Mark all as read' }).click()
  await expect.poll(() => unread.count()).toBe(0)
  await page.getByRole('link', { name: 'Notices', exact: true }).first().waitFor()
  await expect.poll(() => page.getByRole('link', { name: /unread$/ }).count()).toBe(0)
})
