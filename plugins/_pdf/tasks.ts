// The requests that a child gets, and its answers. The documents' bytes are in a private folder.
import { z } from 'zod'
import { answeredText } from '../contract/index.ts'

export interface WatermarkOptions {
  /** The text of the mark; absent: it is the picture, a bare UUID of a file of this shop. */
  text?: string
  picture?: string
  position: 'center' | 'diagonal' | 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right'
  /** The opacity, from 0 to 1. */
  opacity: number
  /** The size of a text, in points. */
  font_size?: number
}

/** Splits a document into parts of this many pages, or by ranges like `1-3`. */
export type SplitOptions = { every: number } | { ranges: readonly string[] }

interface TaskBase {
  folder: string
  password?: string
}

/** `in.pdf` becomes `out.pdf`. */
export interface OptimizeTask extends TaskBase {
  do: 'optimize'
  max_px: number
  quality: number
  linearize: boolean
}

/** `in.pdf` becomes `out.pdf`; the picture is in `picture`. */
export interface WatermarkTask extends TaskBase {
  do: 'watermark'
  wanted: WatermarkOptions
}

/** `in.pdf` is cut into files that the answer names. */
export interface SplitTask extends TaskBase {
  do: 'split'
  wanted: SplitOptions
}

/** `in-0.pdf`, `in-1.pdf` and so on become `out.pdf`. */
export interface MergeTask extends TaskBase {
  do: 'merge'
  documents: number
}

/** Parts that a split has left to be finished. */
export interface CheckTask extends TaskBase {
  do: 'check'
  files: readonly string[]
}

export type DocumentTask = OptimizeTask | WatermarkTask | SplitTask | MergeTask | CheckTask

const warning = z.object({ code: z.string().max(64), message: answeredText })
const warnings = z.array(warning).max(100)

export const ANSWERS = {
  optimize: z.union([z.object({ unchanged: z.string().max(500) }), z.object({ warnings })]),
  watermark: z.object({ warnings }),
  split: z.object({
    parts: z
      .array(z.object({ file: z.string().regex(/^part-[\d-]+\.pdf$/), pages: z.string().max(30) }))
      .max(2000),
    warnings,
    /** The number of files that are finished, in order; the time limit prevents more. */
    checked: z.int().min(0),
  }),
  check: z.object({ checked: z.int().min(1) }),
  merge: z.union([
    z.object({
      /** `document`: the index of the document that the warning is about. */
      warnings: z.array(warning.extend({ document: z.int().min(0).optional() })).max(5000),
    }),
    z.object({ bad: z.int().min(0), code: z.string().max(64), message: answeredText }),
  ]),
}
