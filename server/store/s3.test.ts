import { startS3 } from '../../test/fakes/s3.ts'
import { storeSuite } from '../../test/suites/store.ts'
import { createS3Store } from './s3.ts'

storeSuite('S3', async () => {
  const s3 = await startS3()
  return { store: createS3Store(s3.location()), contents: s3.contents, close: s3.close }
})
