// The document that an operation produced, with a button to save it.
import { useState } from 'react'
import { saveArtifact } from './calls.ts'
import { type Artifact } from '../../shell/client/types.ts'
import { Button, Text } from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'

export function ArtifactButton({ artifact }: { artifact: Artifact }) {
  const [error, setError] = useState<Error | null>(null)
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    setError(null)
    await saveArtifact(artifact).catch((reason: unknown) => setError(reason as Error))
    setBusy(false)
  }
  return (
    <>
      <Button
        variant="primary"
        loading={busy}
        accessibilityLabel={t('Download {filename}, {size}', {
          filename: artifact.filename,
          size: sizeText(artifact.size_bytes),
        })}
        onClick={() => void save()}
      >
        {t('Download')}
      </Button>
      {error && (
        <div role="alert">
          <Text as="p" tone="critical">
            {error.message}
          </Text>
        </div>
      )}
    </>
  )
}
