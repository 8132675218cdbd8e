// Searches compare names and tags without case and accents: a function, and indexes of its results.
// No row changes: a process of the version before writes rows as it did.
import type { Knex } from 'knex'
import { buildIndexes, migrateInSteps } from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo = 'Nothing: searches tell accents apart again.'

/**
 * The same as `searchKey` of plugins/_page/search-key.ts, for a text and the tags after it, one on
 * each line. It calls no function of ours: indexes are built and restored without a search path.
 * Most texts are ASCII, where the other form takes ten times as long.
 */
const FUNCTION = `
  create or replace function search_text(text text, tags text[] default '{}') returns text
    language plpgsql immutable strict parallel safe cost 10 as $$
  declare
    whole text := text;
  begin
    if tags <> '{}' then
      whole := whole || e'\\n' || array_to_string(tags, e'\\n');
    end if;
    if octet_length(whole) = length(whole) then
      return lower(whole collate "C");
    end if;
    return normalize(
      replace(replace(replace(replace(
        regexp_replace(
          translate(lower(normalize(whole, nfkd) collate "pg_unicode_fast"),
            'øđðħłıŧĸς‐‑‒–—―−⁄‘’‚‛“”„‟«»', 'oddhlitkσ-------/''''''''""""""'),
          '[\\u00ad\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u2060\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff]+',
          '', 'g'),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      nfkc);
  end $$;
`

const INDEXES = {
  // A word is a part of the name or of a tag.
  files_search: `files using gin (shop_id, search_text(filename, tags) gin_trgm_ops)
    where deleted_at is null`,
  products_search: 'products using gin (shop_id, search_text(title) gin_trgm_ops)',
}

/** @param progress is called with the parts that are done, of all */
export const up = (
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> =>
  migrateInSteps(knex, progress, [(one) => one.raw(FUNCTION), ...buildIndexes(INDEXES)])

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index if exists ${Object.keys(INDEXES).join(', ')}`)
  await knex.raw('drop function search_text(text, text[])')
}
