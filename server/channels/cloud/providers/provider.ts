// What a provider is: its fields, how one signs in, and what rclone is told about it.
import { z } from 'zod'
import type { Remote } from '../rclone/remote.ts'

export interface Field {
  name: string
  title: string
  help: string
  required: boolean
  /** It is sealed, and never given back. */
  secret: boolean
  multiline: boolean
  /** What it may be. */
  rule: z.ZodType<string>
}

/** Values of a connection's fields. */
export type Values = Readonly<Record<string, string>>

export interface OAuthSpec {
  /** Of the operator's variables: CLOUD_<client>_CLIENT_ID. */
  client: string
  authorize: string
  token: string
  scopes: readonly string[]
  /** Beyond the usual parameters: what makes it give a refresh token. */
  parameters: Readonly<Record<string, string>>
}

export interface RemoteParts {
  settings: Values
  secrets: Values
  /** What the environment adds. */
  place: { demoFolder: string; allowLoopback: boolean }
}

export interface Provider {
  id: string
  title: string
  /** `none`: there is nothing to prove. */
  signIn: 'keys' | 'oauth' | 'none'
  oauth?: OAuthSpec
  fields: readonly Field[]
  presets?: readonly { id: string; title: string; endpoint: string | null }[]
  /** Names of files are equal in any case there. */
  caseInsensitive?: true
  /** Guessing products reads the whole key, not the name alone. */
  keyed?: true
  /** A connection's name where it has none. */
  nameOf(settings: Values): string
  /** Settings that only the provider knows, read once somebody has signed in. */
  discover?(accessToken: string, get: typeof fetch): Promise<Values>
  /** What is wrong with values that are each right; by field. */
  problem?(parts: RemoteParts): { param: string; message: string } | null
  remote(parts: RemoteParts): Omit<Remote, 'bandwidth'>
}

const MOST = 1024

interface FieldOptions {
  required?: boolean
  secret?: boolean
  multiline?: boolean
  most?: number
  rule?: z.ZodType<string>
}

export const field = (
  name: string,
  title: string,
  help: string,
  { required = false, secret = false, multiline = false, most = MOST, rule }: FieldOptions = {},
): Field => ({
  ...{ name, title, help, required, secret, multiline },
  rule:
    rule ??
    z
      .string()
      .max(most, `At most ${most} characters`)
      .refine(isText, 'This has characters that are not allowed'),
})

const isText = (text: string) => text.isWellFormed() && !/[\0-\x08\x0b-\x1f\x7f]/.test(text)

/** A folder's path as it is kept: without a slash at its ends; `.` and `..` are no folders. */
export const folderRule = z
  .string()
  .max(MOST, `At most ${MOST} characters`)
  .refine(
    (text) => isText(text) && !/[\n\t]/.test(text),
    'This has characters that are not allowed',
  )
  .refine(
    (text) => text.split('/').every((part) => part !== '.' && part !== '..'),
    'A folder cannot be called . or ..',
  )

const trimSlashes = (text = ''): string => text.replace(/^\/+|\/+$/g, '')

/** `harbour/manuals`, or one of them. */
export const joined = (...parts: (string | undefined)[]): string =>
  parts
    .map(trimSlashes)
    .filter((part) => part !== '')
    .join('/')

/** rclone reads these as they are: they hold no expression. */
export const textRule = (expression: RegExp, message: string, most = MOST) =>
  z.string().max(most, `At most ${most} characters`).regex(expression, message)
