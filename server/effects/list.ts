// Every effect of an outcome, in the order in which they are written.
import type { AdmissionLimits } from '../files/admission.ts'
import type { Secrets } from '../core/secrets.ts'
import { createdFiles } from '../engine/effects/created-files.ts'
import { droppedVersions } from '../engine/effects/dropped-versions.ts'
import { checkEffects } from '../engine/effects/effects.ts'
import { buyersEffect } from './buyers.ts'
import { linkEffect } from './links.ts'
import { reviewEffect } from './reviews.ts'

export const createEffects = ({ limits, secrets }: { limits: AdmissionLimits; secrets: Secrets }) =>
  checkEffects([
    createdFiles(limits),
    droppedVersions,
    linkEffect(secrets),
    buyersEffect,
    reviewEffect,
  ])
