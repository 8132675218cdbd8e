// What the features do in the engine's transactions: the effects of outcomes, in the order in which
// they are written, and what follows the end of an operation.
import type { Plugin } from '../../plugins/contract.ts'
import type { AdmissionLimits } from '../files/admission.ts'
import type { Secrets } from '../core/secrets.ts'
import { createdFiles } from '../engine/effects/created-files.ts'
import { droppedVersions } from '../engine/effects/dropped-versions.ts'
import { checkEffects } from '../engine/effect.ts'
import type { OperationEnd } from '../engine/parts.ts'
import { reopenReviews } from '../features/mapping/model/reviews.ts'
import { messagesAtEnd } from './operation-messages.ts'
import { buyersEffect } from '../features/messages/buyers-effect.ts'
import { linkEffect } from '../features/links/effect.ts'
import { reviewEffect } from '../features/mapping/effect.ts'

export const createEffects = ({ limits, secrets }: { limits: AdmissionLimits; secrets: Secrets }) =>
  checkEffects([
    createdFiles(limits),
    droppedVersions,
    linkEffect(secrets),
    buyersEffect,
    reviewEffect,
  ])

export const operationEnds = (plugins: readonly Plugin[]): readonly OperationEnd[] => [
  reopenReviews,
  messagesAtEnd(plugins),
]
