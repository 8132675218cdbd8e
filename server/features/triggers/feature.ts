// What starts workflows: the runs of triggers, and the hooks that programs call.
import { triggersExamples } from './examples.ts'
import { hookRequests, type HookRequestParts } from './hook.ts'
import { triggerRoutes, type TriggerRouteParts } from './routes.ts'
import { triggerTask, type TriggerTaskParts } from './run.ts'
import { sweepEvents } from './sweep.ts'
import { againTask, armAgain } from './again.ts'
import { askQuestion, endQuestion, tellUnasked } from './question.ts'
import { QUESTION_MAIL, questionMails } from './question-mail.ts'
import { questionRequests, type QuestionRequestParts } from './question-requests.ts'
import { armWait, waitTask } from './wait.ts'
import { defineFeature, type EndParts } from '../feature.ts'

export const triggersFeature = defineFeature({
  name: 'triggers',
  examples: triggersExamples,
  endpoints: (parts: TriggerRouteParts) => triggerRoutes(parts),
  requests: (parts: HookRequestParts & QuestionRequestParts) => [
    hookRequests(parts),
    questionRequests(parts),
  ],
  tasks: (parts: TriggerTaskParts) => [
    triggerTask(parts),
    waitTask(parts, endQuestion),
    againTask(parts),
  ],
  mails: { [QUESTION_MAIL]: questionMails },
  onEnd: ({ plugins }: EndParts) => [
    { of: { completed: true, worked: true }, run: armWait },
    { of: { previewed: true }, run: (tx, operation) => askQuestion(tx, operation, plugins) },
    { of: { failed: true }, run: tellUnasked },
    { of: { own: true, completed: true, failed: true }, run: armAgain },
  ],
  sweeps: (parts: Parameters<typeof sweepEvents>[0]) => ({
    'trigger-events': () => sweepEvents(parts),
  }),
})
