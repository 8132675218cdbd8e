// The id of a plan: that of its operation, signed for the key that made it. Another key cannot confirm
// it, and no tool confirms a preview of a person or of another channel. Nothing is stored for it.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { say } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Caller } from '../../http/endpoint.ts'

const USE = 'plan of an agent'
const FORM = /^((?:op|import)_[0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/

type Owner = Pick<Caller, 'subject' | 'scope'>

const signatureOf = (key: Buffer, { subject, scope }: Owner, operation: string): Buffer =>
  createHmac('sha256', key).update(`${scope.shop}/${subject}/${operation}`).digest()

export const planIdOf = (secrets: Secrets, owner: Owner, operation: string): string =>
  `${operation}.${signatureOf(secrets.derive(USE), owner, operation).toString('base64url')}`

/** The operation of a plan. Throws `not_found` if this key did not make it. */
export function operationOfPlan(secrets: Secrets, owner: Owner, planId: string): string {
  const [, operation = '', signature = ''] = FORM.exec(planId) ?? []
  const given = Buffer.from(signature, 'base64url')
  const isOwn = secrets.deriveAll(USE).some((key) => {
    const expected = signatureOf(key, owner, operation)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isOwn)
    throw new AppError('not_found', { message: say('This key has made no plan with this id') })
  return operation
}
