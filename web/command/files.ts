// `files`: lists and filters the files of the shop.
import { listOption, textOption, type Command } from './context.ts'
import { EXIT, UsageError } from './exit.ts'
import { filterOf, queryOf } from './filter.ts'
import { sizeText } from './terminal.ts'

const USUAL = 100

export const filesCommand: Command = {
  about: 'list and filter files',
  help: `stevedore files [WORDS …] [--filter NAME=VALUE …] [options]

  --filter NAME=VALUE  tags=spring, mapped=false, type=pdf, larger_than=1000000,
                       not_downloaded_for_days=90, name_like=A-* …
  --limit N            at most N files (100); 0: all
  --json               one JSON object a line, with all fields

  stevedore files tide --filter mapped=true --limit 0 --json`,
  options: { filter: { type: 'string', multiple: true }, limit: { type: 'string' } },
  run: async ({ given, values, client, terminal }) => {
    const limit = Number(textOption(values, 'limit') ?? USUAL)
    if (!Number.isInteger(limit) || limit < 0) throw new UsageError('--limit is a number')
    const filter = filterOf(listOption(values, 'filter'))
    const search = given.length > 0 ? { search: given.join(' ') } : {}
    let count = 0
    for await (const file of client.all('/api/files', { ...queryOf(filter), ...search })) {
      if (limit > 0 && count === limit) {
        terminal.note(`More files match: --limit 0 lists all`)
        break
      }
      count++
      const products = file.mappings.map(({ product_title }) => product_title)
      terminal.result(
        { ...file },
        `${file.id}  ${sizeText(file.size_bytes).padStart(10)}  ${file.filename}${products.length > 0 ? ` → ${products.join(', ')}` : ''}`,
      )
    }
    return EXIT.all
  },
}
