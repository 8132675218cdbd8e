// A limited child that opens workbooks: it writes each sheet with rows as a CSV file into a private
// folder.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Refusal, serveRequests, sayPlain } from '../../../plugins/contract/sandbox.ts'
import { sheetsOf } from './workbook-sheets.ts'

serveRequests(async ({ from, folder }: { from: string; folder: string }) => {
  const sheets = await sheetsOf(await readFile(from)).catch((cause: unknown) => {
    if (cause instanceof Refusal) throw cause
    throw new Refusal('invalid_csv', sayPlain('This workbook cannot be opened: save it as CSV'), {
      cause,
    })
  })
  for (const [at, { text }] of sheets.entries())
    await writeFile(path.join(folder, `${at}.csv`), text)
  return sheets.map(({ name }) => name)
})
