// `links create`: download links for files or a pack.
import { nameKey } from '../../plugins/_page/name-key.ts'
import { listOption, textOption, type Command, type Context } from './context.ts'
import { dataOf } from './errors.ts'
import { EXIT, UsageError } from './exit.ts'
import { saveArtifact } from './export.ts'
import { filterOf, queryOf } from './filter.ts'
import { reportEnd, waitFor } from './operations.ts'
import type { Schemas } from './paths.ts'

const MOST_FILES = 10_000

export const linksCommand: Command = {
  about: 'create: download links of files or a pack',
  help: `stevedore links create FILE … | --filter NAME=VALUE … | --pack ID [options]

FILE is the id of a file, or its exact name. One link for each file, all or
none. What is not given comes from the settings of the file.

  --filter NAME=VALUE    files of the shop: tags=spring …
  --pack ID              one link for a pack
  --expiry-days N        or never
  --download-limit N     or unlimited
  --email ADDRESS        the buyer, who sees it on the page of the link
  --out FILE             of more than 100 links: where to write their list
  --json                 one JSON object a line

  stevedore links create guide.pdf --expiry-days 30 --email ada@example.com`,
  options: {
    filter: { type: 'string', multiple: true },
    pack: { type: 'string' },
    'expiry-days': { type: 'string' },
    'download-limit': { type: 'string' },
    email: { type: 'string' },
    out: { type: 'string' },
  },
  run: async (context) => {
    const { client, terminal, values } = context
    const body = await requestOf(context)
    const answer = await client.POST('/api/links', { body })
    const made = dataOf(answer) as { data: Schemas['Link'][] } | Schemas['Operation']
    if ('data' in made) {
      for (const link of made.data)
        terminal.result({ ...link }, `${link.url ?? ''}  ${link.filename}`)
      return EXIT.all
    }
    const ended = await waitFor(context, made.id)
    if (!ended.artifact) return reportEnd(context, ended)
    const file = await saveArtifact(context, ended.artifact, textOption(values, 'out'))
    if (file !== null) terminal.result({ event: 'saved', file }, `${file}: ${ended.done} links`)
    return EXIT.all
  },
}

async function requestOf(context: Context): Promise<Schemas['LinksRequest']> {
  const { given, values, client } = context
  const [verb, ...names] = given
  if (verb !== 'create') throw new UsageError('There is: stevedore links create')
  const pack = textOption(values, 'pack')
  const filters = listOption(values, 'filter')
  const ways = [names.length > 0, filters.length > 0, pack !== undefined].filter(Boolean)
  if (ways.length !== 1) throw new UsageError('Name files, or give --filter or --pack')
  const email = textOption(values, 'email')
  return {
    ...(pack === undefined ? { file_ids: await idsOf(client, names, filters) } : { pack_id: pack }),
    ...termOf(values, 'expiry-days', 'expiry_days', 'never'),
    ...termOf(values, 'download-limit', 'download_limit', 'unlimited'),
    ...(email === undefined ? {} : { email }),
  }
}

async function idsOf(
  client: Context['client'],
  names: readonly string[],
  filters: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const name of names) ids.push(name.startsWith('file_') ? name : await idOfName(client, name))
  if (filters.length === 0) return ids
  for await (const { id } of client.all('/api/files', queryOf(filterOf(filters)))) ids.push(id)
  if (ids.length === 0) throw new UsageError('No file matches')
  if (ids.length > MOST_FILES) throw new UsageError(`At most ${MOST_FILES} files at a time`)
  return ids
}

async function idOfName(client: Context['client'], name: string): Promise<string> {
  const wanted = nameKey(name)
  for await (const { id, filename } of client.all('/api/files', { name_begins: wanted }))
    if (nameKey(filename) === wanted) return id
  throw new UsageError(`There is no file ${name} in the shop`)
}

function termOf<Field extends string>(
  values: Context['values'],
  option: string,
  field: Field,
  none: string,
): { [Name in Field]?: number | null } {
  const text = textOption(values, option)
  if (text === undefined) return {}
  const value = text === none ? null : Number(text)
  if (value !== null && !Number.isInteger(value))
    throw new UsageError(`--${option} is a number or ${none}, and not ${text}`)
  return { [field]: value } as { [Name in Field]?: number | null }
}
