// Parcels: texts that become files. Their bytes are in their own table until the import takes
// them.
import { defineFeature } from '../feature.ts'
import { parcelExamples } from './examples.ts'
import { createParcelPort } from './port.ts'
import { parcelRoutes } from './routes.ts'

export const parcelsFeature = defineFeature({
  name: 'parcels',
  examples: parcelExamples,
  endpoints: parcelRoutes,
  ports: { parcels: createParcelPort },
  tables: { parcels: 'the merchant’s own texts' },
})
