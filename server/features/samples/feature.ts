// Samples of files for the shop front: pages of a PDF document, or seconds of audio.
import { defineFeature } from '../feature.ts'
import { publishTask, type PublishParts } from './publish-task.ts'
import { publicSamples, type PublicSampleParts } from './public.ts'
import { sampleTask } from './task.ts'
import type { BlobCheckParts } from '../../files/blob-checks.ts'

export const samplesFeature = defineFeature({
  name: 'samples',
  requests: (parts: PublicSampleParts) => [publicSamples(parts)],
  tasks: (parts: BlobCheckParts & PublishParts) => [sampleTask(parts), publishTask(parts)],
  tables: {
    samples: 'hashes, and why a sample of the merchant’s own file could not be made',
    published_samples: 'digests of what the platform knows of the shop’s samples',
  },
})
