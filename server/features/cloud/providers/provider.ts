// A provider: its fields, how a merchant signs in, and rclone's settings for it.
import { sayPlain } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import type { Remote } from '../rclone/remote.ts'

export interface Field {
  name: string
  title: string
  help: string
  required: boolean
  /** Whether the value is sealed and never shown again. */
  secret: boolean
  multiline: boolean
  /** The schema of its value. */
  rule: z.ZodType<string>
}

/** Values of a connection's fields. */
export type Values = Readonly<Record<string, string>>

export interface OAuthSpec {
  /** The name in the operator's variables: CLOUD_<client>_CLIENT_ID. */
  client: string
  authorize: string
  token: string
  scopes: readonly string[]
  /** Additional parameters that make the provider give a refresh token. */
  parameters: Readonly<Record<string, string>>
}

export interface RemoteParts {
  settings: Values
  secrets: Values
  /** Values that the installation sets. */
  place: { allowLoopback: boolean }
}

/** What rclone needs to reach a provider. */
interface RcloneProvider {
  remote(parts: RemoteParts): Omit<Remote, 'bandwidth'>
  folder?: undefined
}

/** A folder of this machine, which needs no program. */
interface FolderProvider {
  /** The absolute path of the connection's root below `demoFolder`. */
  folder(settings: Values, demoFolder: string): string
}

export type Provider = ProviderDescription & (RcloneProvider | FolderProvider)

interface ProviderDescription {
  id: string
  title: string
  /** `none`: nothing to sign in with. */
  signIn: 'keys' | 'oauth' | 'none'
  oauth?: OAuthSpec
  fields: readonly Field[]
  presets?: readonly { id: string; title: string; endpoint: string | null }[]
  /** The provider ignores the case of names. */
  caseInsensitive?: true
  /** Its hashes may not be those of the bytes: two that differ say nothing about these. */
  doubtfulHashes?: true
  /** Guessing products uses the whole key, not only the name. */
  keyed?: true
  /** The name of a connection without a given name. */
  nameOf(settings: Values): string
  /** Settings that only the provider knows, read once after a sign-in. */
  discover?(accessToken: string, get: typeof fetch): Promise<Values>
  /** The problem of values that are valid separately but not together, with its field. */
  problem?(parts: RemoteParts): { param: string; message: string } | null
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
  name,
  title,
  help,
  required,
  secret,
  multiline,
  rule:
    rule ??
    z
      .string()
      .max(most, `At most ${most} characters`)
      .refine(isText, sayPlain('This has characters that are not allowed')),
})

const isText = (text: string) => text.isWellFormed() && !/[\0-\x08\x0b-\x1f\x7f]/.test(text)

/** A folder's path as it is stored: without slashes at its ends; `.` and `..` are refused. */
export const folderRule = z
  .string()
  .max(MOST, `At most ${MOST} characters`)
  .refine(
    (text) => isText(text) && !/[\n\t]/.test(text),
    sayPlain('This has characters that are not allowed'),
  )
  .refine(
    (text) => text.split('/').every((part) => part !== '.' && part !== '..'),
    sayPlain('A folder cannot be called . or ..'),
  )

const trimSlashes = (text = ''): string => text.replace(/^\/+|\/+$/g, '')

/** `harbour/manuals`; absent parts are left out. */
export const joined = (...parts: (string | undefined)[]): string =>
  parts
    .map(trimSlashes)
    .filter((part) => part !== '')
    .join('/')

/** A text that rclone reads literally, so its characters are limited. */
export const textRule = (expression: RegExp, message: string, most = MOST) =>
  z.string().max(most, `At most ${most} characters`).regex(expression, message)
