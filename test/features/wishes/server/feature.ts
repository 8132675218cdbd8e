// Wishes: names of files that the shop wants to have, granted when such a file exists.
import { defineFeature } from '../feature.ts'
import { wishesExamples } from './examples.ts'
import { grantTask, wishGranted, type GrantParts } from './grant-task.ts'
import { wishRoutes } from './routes.ts'

export const wishesFeature = defineFeature({
  name: 'wishes',
  examples: wishesExamples,
  endpoints: wishRoutes,
  tasks: (parts: GrantParts) => [grantTask(parts)],
  events: [wishGranted],
  tables: { wishes: 'names of the merchant’s own files' },
})
