// The page was left during uploads: each is listed. The same file is chosen again, and its upload
// resumes where it stopped, or it is discarded.
import { useRef, useState } from 'react'
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { Question } from '../../shell/components/question.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Button, InlineStack, Text } from '../../shell/ui/index.ts'
import '../imports/import.css'
import { type KeptFile } from './kept.ts'

const SHOWN = 10

interface Props {
  files: readonly KeptFile[]
  onChosen: (file: ChosenFile) => void
  onDiscard: (files: readonly KeptFile[]) => void
}

export function Interrupted({ files, onChosen, onDiscard }: Props) {
  const more = files.length - SHOWN
  const [given, setGiven] = useState<readonly KeptFile[]>([])
  return (
    <Banner
      tone="warning"
      title={t(
        '{count, plural, one {# upload was} other {# uploads were}} interrupted when you left this page',
        { count: files.length },
      )}
    >
      <BlockStack gap="300">
        <p>
          {t('Choose the same files or folder again. Parts that have arrived are not sent again.')}
        </p>
        <ul className="kept-files" aria-label={t('Interrupted uploads')}>
          {files.slice(0, SHOWN).map((file) => (
            <li key={file.id}>
              <InterruptedRow file={file} onChosen={onChosen} onDiscard={() => setGiven([file])} />
            </li>
          ))}
          {more > 0 && <li>{t('and {more, number} more', { more })}</li>}
        </ul>
        {files.length > 1 && (
          <InlineStack>
            <Button onClick={() => setGiven(files)}>{t('Discard uploads')}</Button>
          </InlineStack>
        )}
      </BlockStack>
      {given.length > 0 && (
        <Question
          title={t('Discard {count, plural, one {# upload} other {# uploads}}?', {
            count: given.length,
          })}
          onClose={() => setGiven([])}
          action={{
            content: t('Discard uploads'),
            destructive: true,
            onAction: () => {
              setGiven([])
              onDiscard(given)
            },
          }}
          back={t('Cancel')}
        >
          <Text as="p">{t('Parts that have arrived are deleted. Completed files are kept.')}</Text>
        </Question>
      )}
    </Banner>
  )
}

interface RowProps {
  file: KeptFile
  onChosen: Props['onChosen']
  onDiscard: () => void
}

function InterruptedRow({ file, onChosen, onDiscard }: RowProps) {
  const { filename, folder, size } = file
  const path = folder === '' ? filename : `${folder}/${filename}`
  const input = useRef<HTMLInputElement>(null)
  const [isOther, setIsOther] = useState(false)
  const take = (data: File | undefined) => {
    if (!data) return
    const isSame = data.name === filename && data.size === size
    setIsOther(!isSame)
    // A browser does not tell in which folder the file is.
    if (isSame) onChosen({ data, path })
  }
  return (
    <BlockStack gap="100">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span" breakWord>
          {path} ({sizeText(size)})
        </Text>
        <InlineStack gap="300">
          <Button
            variant="plain"
            accessibilityLabel={actionName(t('Choose file'), path)}
            onClick={() => input.current?.click()}
          >
            {t('Choose file')}
          </Button>
          <Button
            variant="plain"
            tone="critical"
            accessibilityLabel={t('Discard {filename}', { filename: path })}
            onClick={onDiscard}
          >
            {t('Discard')}
          </Button>
        </InlineStack>
      </InlineStack>
      {isOther && (
        <Text as="p" tone="critical">
          <span role="alert">
            {t('This is another file. Choose {filename} with {size}.', {
              filename,
              size: sizeText(size),
            })}
          </span>
        </Text>
      )}
      <input
        ref={input}
        hidden
        type="file"
        aria-label={path}
        onChange={({ target }) => {
          take(target.files?.[0])
          // Allows choosing the same file again.
          target.value = ''
        }}
      />
    </BlockStack>
  )
}
