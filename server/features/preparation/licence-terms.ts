// The fields of a list of licence keys in requests: its pattern, expiry, activations, revocation.
import { say, sayFixed, sayPlain, textIssue } from '../../../plugins/contract.ts'
import { z } from 'zod'
import { expiryDays } from '../../http/schemas.ts'
import { keyBits, MIN_KEY_BITS } from '../../../plugins/_page/key-pattern.ts'

/** They need no escaping in files, addresses and mails. */
const LITERALS = /^[A-Za-z0-9._:/+#-]*$/
const LITERALS_ONLY = sayPlain('Only letters and digits of ASCII and . _ : / + # - are possible')
/** A key without a limit has at most as many (model/activations.ts). */
const MAX_LIMIT = 1000

export const generateSchema = z
  .strictObject({
    pattern: z
      .string()
      .min(1, sayPlain('Enter a pattern'))
      .max(100, sayPlain('A pattern has at most 100 characters'))
      .regex(LITERALS, LITERALS_ONLY)
      .superRefine((pattern, context) => {
        const bits = keyBits(pattern)
        if (bits >= MIN_KEY_BITS) return
        const wrong = say(
          'Keys of this pattern have {bits} random bits, and {needed} are needed so that nobody can guess one: add more X, 9 or A',
          { bits: Math.floor(bits), needed: MIN_KEY_BITS },
        )
        context.addIssue(textIssue(wrong))
      })
      .meta({
        description:
          '`X`: a letter or digit, `9`: a digit, `A`: a letter, without those that are easily confused; all other characters stand for themselves',
        example: 'XXXXX-XXXXX-XXXXX',
      }),
    prefix: z
      .string()
      .max(20, sayPlain('A prefix has at most 20 characters'))
      .regex(LITERALS, LITERALS_ONLY)
      .default('')
      .meta({ description: 'Before the pattern, as it is', example: 'PRO-' }),
    checksum: z
      .boolean()
      .default(false)
      .describe('A check character follows, with which programs find typing errors'),
  })
  .meta({ id: 'LicencePattern' })

export const licenceTermFields = {
  expiry_days: expiryDays.optional(),
  activation_limit: z
    .number()
    .int()
    .min(1, sayPlain('At least 1'))
    .max(MAX_LIMIT, sayFixed('At most {limit}', { limit: MAX_LIMIT }))
    .nullable()
    .optional()
    .describe('Instances at one time; null: unlimited'),
  revoke_on_refund: z.boolean().optional(),
}
