// FTP upload on the admin page, in a real browser: an account whose password is shown once, files
// sent with a real client, their import, and the advice about refused clients.
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { DemoDrop } from '../../server/features/drop/demo-account.ts'
import { runProgram } from '../drop.ts'
import { readDemo, type RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let drop: DemoDrop

const open = usePages(
  () => Promise.resolve({ close: () => Promise.resolve() }),
  async (world) => {
    server = world.server
    ;({ drop } = await readDemo(server.dataDir))
  },
  { drop: true },
)

/** Sends a file of 2,000 bytes with curl over SFTP. Returns why it was refused; empty: it was not. */
async function send(name: string, { username, password }: Record<'username' | 'password', string>) {
  const file = path.join(server.dataDir, 'sent.bin')
  await writeFile(file, randomBytes(2000))
  const address = `sftp://${drop.host}:${drop.sftp_port}${drop.path}${encodeURI(name)}`
  const user = `${username}:${password}`
  const upload = ['--user', user, '-T', file, address]
  const { code, output } = await runProgram(['curl', '-sS', '-k', ...upload])
  return code === 0 ? '' : `${code}: ${output}`
}

const dialog = (page: Page) => page.getByRole('dialog')
const list = (page: Page, name: string) => page.getByRole('list', { name, exact: true })
const row = (page: Page, of: string, text: string) =>
  list(page, of).getByRole('listitem').filter({ hasText: text })
const shown = async (page: Page, what: string) =>
  ((await dialog(page).getByRole('group', { name: what, exact: true }).textContent()) ?? '').trim()

/** Creates an account and returns the credentials that the dialog shows once. */
async function createAccount(page: Page, name: string) {
  await page.getByRole('button', { name: 'Create account' }).click()
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog(page).getByRole('button', { name: 'Create', exact: true }).click()
  const signIn = {
    username: await shown(page, 'username'),
    password: await shown(page, 'password'),
  }
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await row(page, 'Accounts', name).waitFor()
  return signIn
}

test('files sent by a new account wait, are imported, and the import is listed', async () => {
  const page = await open('/import/drop')
  await page.getByText('By hand', { exact: true }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' })
  const signIn = await createAccount(page, 'Warehouse')
  expect(await send('EB-001_guide.pdf', signIn)).toBe('')
  expect(await send('plain.pdf', signIn)).toBe('')
  await row(page, 'Not imported yet', 'EB-001_guide.pdf').getByText('Waiting').waitFor()
  await page.getByText('2 files wait').waitFor()
  await page.getByRole('button', { name: 'Import now' }).click()
  await list(page, 'Last imports').getByText('2 done').waitFor()
  await list(page, 'Last imports').getByText('Success', { exact: true }).waitFor()
  await page.getByText('No file waits').waitFor()
  await page.getByRole('tab', { name: 'Imported', exact: true }).click()
  await row(page, 'Imported', 'plain.pdf').getByRole('link', { name: 'View import' }).click()
  await page.waitForURL(/\/operations\/import_/)
  const { data } = (await (await server.call('GET', '/api/files')).json()) as {
    data: { filename: string; mappings: unknown[] }[]
  }
  const mapped = data.map(({ filename, mappings }) => `${filename} ${mappings.length}`)
  expect(mapped.sort()).toEqual(['EB-001_guide.pdf 1', 'plain.pdf 0'])
})

soakTest('a preview leaves the file in the folder until it is confirmed', async () => {
  const page = await open('/import/drop')
  const signIn = await createAccount(page, 'Preview')
  expect(await send('EB-001_preview.pdf', signIn)).toBe('')
  await page.getByText('1 file waits').waitFor()
  await page.getByRole('button', { name: 'Preview import' }).click()
  await page.waitForURL(/\/operations\/import_/)
  const confirm = page.getByRole('button', { name: 'Confirm and run' })
  await confirm.waitFor()
  await page.getByText('EB-001_preview.pdf').first().waitFor()
  const { data } = (await (await server.call('GET', '/api/drop/files')).json()) as {
    data: { path: string; state: string }[]
  }
  expect(data).toMatchObject([{ path: 'EB-001_preview.pdf', state: 'waiting' }])
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT })
  await confirm.click()
  await page.getByText('Success', { exact: true }).first().waitFor()
  const { data: files } = (await (
    await server.call('GET', '/api/files?search=EB-001_preview')
  ).json()) as { data: unknown[] }
  expect(files).toHaveLength(1)
})

soakTest('a failed file shows the reason, and waits again after a retry', async () => {
  const page = await open('/import/drop')
  const signIn = await createAccount(page, 'Partner')
  expect(await send('plain.pdf', signIn)).toBe('')
  await page.getByText('1 file waits').waitFor()
  await page.getByRole('button', { name: 'Import now' }).click()
  await page.getByRole('tab', { name: 'Failed' }).click()
  const failed = row(page, 'Failed', 'plain.pdf')
  await failed
    .getByText(/Duplicate filename/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: /^Try again: .*plain\.pdf$/ }).click()
  await page.getByText('1 file waits').waitFor()
  await page.getByRole('tab', { name: 'Not imported yet' }).click()
  await page.getByRole('button', { name: /^Delete plain\.pdf/ }).click()
  await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No file waits').waitFor()
})

soakTest(
  'a password is changed after a question, and refusals are listed with advice',
  async () => {
    const page = await open('/import/drop')
    const before = await createAccount(page, 'Old laptop')
    await page.getByRole('button', { name: 'Change password: Old laptop' }).click()
    await dialog(page).getByRole('button', { name: 'Change password', exact: true }).click()
    const after = { ...before, password: await shown(page, 'password') }
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    expect(after.password).not.toBe(before.password)
    expect(await send('again.pdf', before)).toMatch(/67|denied/)
    const refused = row(page, 'Last connections', 'Wrong password')
    await refused.getByText('change it here and use the new one').first().waitFor()
    await page.getByRole('switch', { name: 'Old laptop is on' }).click()
    await row(page, 'Accounts', 'Old laptop').getByText('Off', { exact: true }).waitFor()
    expect(await send('again.pdf', after)).toMatch(/67|denied/)
    await row(page, 'Last connections', 'Account switched off').waitFor()
    await page.getByRole('button', { name: 'Delete Old laptop' }).click()
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await row(page, 'Accounts', 'Old laptop').waitFor({ state: 'detached' })
  },
)

soakTest('public keys are added to the existing ones, and invalid fields are named', async () => {
  const page = await open('/import/drop')
  await createAccount(page, 'Build server')
  const keys = path.join(server.dataDir, 'key')
  for (const name of ['one', 'two'])
    await runProgram(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', keys + name])
  for (const name of ['one', 'two']) {
    await page.getByRole('button', { name: 'Edit Build server' }).click()
    await dialog(page).getByLabel('Public key for SFTP').fill(await readFile(`${keys}${name}.pub`, 'utf8')) // oxfmt-ignore
    await dialog(page).getByText(`${name} · not saved yet`).waitFor()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).waitFor({ state: 'detached' })
  }
  await row(page, 'Accounts', 'Build server').getByText('2 public keys').waitFor()
  await page.getByRole('button', { name: 'Edit Build server' }).click()
  await dialog(page).getByLabel('Allowed addresses').fill('nowhere')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await dialog(page).getByText('“nowhere” is not an address or a range').waitFor()
})

soakTest('instructions exist for every program, and everything is visible on a phone', async () => {
  const page = await open('/import/drop', { viewport: { width: 390, height: 800 } })
  for (const name of ['FileZilla', 'WinSCP', 'Cyberduck', 'curl', 'lftp', 'rclone']) {
    await page.getByRole('button', { name, exact: true }).click()
    const guide = page.getByRole('region', { name, exact: true })
    await guide.getByText(String(drop.sftp_port)).first().waitFor()
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    await expect.poll(fits, { message: name }).toBe(true)
  }
})
