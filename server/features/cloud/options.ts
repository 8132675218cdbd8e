// How a connection is synced: the merchant's options, with their defaults.
import { sayPlain, sayFixed } from '../../../plugins/contract/index.ts'
import { z } from 'zod'
import { LONGEST_PATTERN, MAX_PATTERNS, patternProblem } from './patterns.ts'

export const FREQUENCIES = [1, 6, 12, 24] as const

const patterns = (title: string) =>
  z
    .array(
      z
        .string()
        .max(LONGEST_PATTERN, sayFixed('At most {count} characters', { count: LONGEST_PATTERN }))
        .superRefine((text, context) => {
          const message = patternProblem(text)
          if (message) context.addIssue({ code: 'custom', message })
        }),
    )
    .max(MAX_PATTERNS, sayFixed('At most {count} patterns', { count: MAX_PATTERNS }))
    .meta({ description: title })

/** The maximum of `max_bytes`: 5 GB, the limit of every file. */
const MAX_FILE_BYTES = 5 * 1024 ** 3

export const optionFields = {
  direction: z
    .enum(['from_provider', 'two_way'])
    .describe('from_provider: the provider is the source of truth'),
  deletions: z
    .enum(['keep', 'trash', 'unmap'])
    .describe('What happens to files whose objects are deleted at the provider'),
  include: patterns('Only paths that match one of these; empty: all'),
  exclude: patterns('Not paths that match one of these'),
  max_bytes: z
    .int(sayPlain('Enter a number of bytes'))
    .min(1, sayPlain('Enter a number above 0'))
    .max(MAX_FILE_BYTES, sayPlain('At most 5 GB'))
    .describe('Larger files are left out'),
  packs_from_subfolders: z
    .boolean()
    .describe('New files go into a pack with the name of their subfolder'),
  auto_map: z.boolean().describe('New files are matched to products'),
  names: z
    .enum(['filename', 'path'])
    .describe('filename: the object’s name; path: with its folders, `a - b - name.pdf`'),
  notify: z.boolean().describe('Email at the end of each sync'),
  bytes_per_second: z
    .int(sayPlain('Enter a number of bytes'))
    .min(1024, sayPlain('At least 1024'))
    .max(10 ** 12, sayPlain('At most 1 TB'))
    .nullable()
    .describe('The bandwidth limit of a sync; null: unlimited'),
}

export interface ConnectionOptions {
  direction: 'from_provider' | 'two_way'
  deletions: 'keep' | 'trash' | 'unmap'
  include: readonly string[]
  exclude: readonly string[]
  max_bytes: number
  packs_from_subfolders: boolean
  auto_map: boolean
  names: 'filename' | 'path'
  notify: boolean
  bytes_per_second: number | null
}

export const DEFAULT_OPTIONS: ConnectionOptions = {
  direction: 'from_provider',
  deletions: 'trash',
  include: [],
  exclude: [],
  max_bytes: MAX_FILE_BYTES,
  packs_from_subfolders: false,
  auto_map: true,
  names: 'filename',
  notify: true,
  bytes_per_second: null,
}
