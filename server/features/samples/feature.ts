// Samples of files for the shop front: pages of a PDF document, or seconds of audio.
import { defineFeature } from '../feature.ts'
import { publishTask, type PublishParts } from './publish-task.ts'
import { sampleTask, type SampleParts } from './task.ts'

export const samplesFeature = defineFeature({
  name: 'samples',
  tasks: (parts: SampleParts & PublishParts) => [sampleTask(parts), publishTask(parts)],
  tables: {
    samples: 'hashes, and why a sample of the merchant’s own file could not be made',
    published_samples: 'digests of what the platform knows of the shop’s samples',
  },
})
