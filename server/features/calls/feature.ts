// Other programs as steps of workflows: calls them, sends files to them, and takes late answers.
import { defineFeature, type OutcomeEffectParts } from '../feature.ts'
import { calledBytes, type CalledBytesParts } from './bytes.ts'
import { postEffect } from './effect.ts'
import { callAnswers, sweepCallAnswers, type LateAnswerParts } from './late.ts'
import { createPrograms, type CallParts } from './port.ts'
import { CALL_EVENT } from './request.ts'

export const callsFeature = defineFeature({
  name: 'calls',
  events: [CALL_EVENT],
  ports: { programs: (parts: CallParts) => createPrograms(parts) },
  effects: (parts: OutcomeEffectParts) => [postEffect(parts)],
  requests: (parts: CalledBytesParts & LateAnswerParts) => [calledBytes(parts), callAnswers(parts)],
  sweeps: (parts: Parameters<typeof sweepCallAnswers>[0]) => ({
    'call-answers': () => sweepCallAnswers(parts),
  }),
  tables: { call_answers: 'what programs answered about the merchant’s own files' },
})
