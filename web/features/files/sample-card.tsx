// The sample of a PDF document or an audio file for the shop front: switched on and off, with its
// public address.
import { useState } from 'react'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { type FileDetail } from '../../shell/client/types.ts'
import { Code } from '../../shell/components/copy.tsx'
import { NumberField, type NumberValue } from '../../shell/components/number-field.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { sampleText } from '../../shell/files/labels.ts'
import { BlockStack, Button, Card, Heading, Hint, Link, Text } from '../../shell/ui/index.ts'
import { useChangeFile } from './version-calls.ts'
import { t } from '../../shell/messages/t.ts'

type Sample = NonNullable<FileDetail['sample']>
type Problems = Record<NonNullable<Sample['problem']>['code'], string>

const PROBLEMS: Problems = {
  encrypted: t('There is no sample: the document is encrypted.'),
  damaged: t('There is no sample: the file cannot be opened.'),
  too_short: t('There is no sample: the file is too short. A sample is at most half of it.'),
  too_large: t('There is no sample: the file is too large.'),
  not_supported: t('There is no sample: this installation cannot cut audio.'),
}

type SampleSetting = 'sample_pages' | 'sample_seconds'

/** The setting for samples of this file; null if files of its type have none. */
export function sampleSettingOf({ content_type }: FileDetail): SampleSetting | null {
  if (/^application\/pdf(;|$)/i.test(content_type)) return 'sample_pages'
  return /^audio\//i.test(content_type) ? 'sample_seconds' : null
}

export function SampleCard({ file, setting }: { file: FileDetail; setting: SampleSetting }) {
  const change = useChangeFile(file.id, useKnown(file))
  const [length, setLength] = useState<NumberValue>(file[setting])
  const wrong = problemsOf(objectionsIn(change.error)).within(setting)
  const pages = setting === 'sample_pages'
  const save = () =>
    change.mutate(
      { [setting]: length },
      {
        onSuccess: () => toast(length === null ? t('The sample was withdrawn') : t('Sample saved')),
      },
    )
  return (
    <Card>
      <BlockStack gap="300">
        <Heading>{t('Sample')}</Heading>
        {file.sample && <Made file={file} sample={file.sample} setting={setting} />}
        {change.error && !wrong && (
          <Problem error={change.error} what={t('The sample could not be changed')} />
        )}
        <Hint>
          {t('Everyone can see or hear it, without buying the file. At most half of the file.')}
        </Hint>
        <NumberField
          label={pages ? t('First pages') : t('First seconds')}
          error={wrong}
          value={length}
          none={t('No sample')}
          start={pages ? 5 : 30}
          onChange={(next) => {
            setLength(next)
            change.reset()
          }}
        />
        {length !== file[setting] && (
          <div>
            <Button loading={change.isPending} onClick={save}>
              {t('Save')}
            </Button>
          </div>
        )}
      </BlockStack>
    </Card>
  )
}

function Made({
  file,
  sample,
  setting,
}: {
  file: FileDetail
  sample: Sample
  setting: SampleSetting
}) {
  if (sample.problem !== null)
    return (
      <Text as="p" tone="critical">
        {PROBLEMS[sample.problem.code]}
      </Text>
    )
  if (sample.url === null)
    return <Text as="p">{t('The sample is being made. Load this page again in a minute.')}</Text>
  return (
    <BlockStack gap="200">
      <Link url={sample.url} target="_blank">
        {sampleText(setting, file[setting])}
      </Link>
      <Code text={sample.url} what={t('address of the sample')} wrap />
      <Hint>
        {t(
          'To show it with the product, add the block “Samples of the product” to the product page in the editor of your theme. The file must be mapped to the product.',
        )}
      </Hint>
    </BlockStack>
  )
}
