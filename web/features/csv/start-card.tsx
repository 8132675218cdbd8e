// Starts the import of a checked file. If rows have errors, the merchant must choose to import the
// others.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { type CsvCheck, type CsvUpload, useStartCsv } from './calls.ts'
import { useSettings } from '../../shell/client/settings.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { Banner, BlockStack, Button, Checkbox, InlineStack } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  upload: CsvUpload
  check: CsvCheck
}

export function StartCard({ upload, check }: Props) {
  const settings = useSettings().data
  const [autoMap, setAutoMap] = useState<boolean | null>(null)
  const [notify, setNotify] = useState<boolean | null>(null)
  const [onlyValid, setOnlyValid] = useState(false)
  const start = useStartCsv(upload.id)
  const faulty = check.error_rows > 0 || check.errors > 0
  const valid = Math.max(0, check.rows - check.error_rows)
  const begin = (preview: boolean) =>
    start.mutate(
      {
        dry_run: preview,
        only_valid: onlyValid,
        on_conflict: check.on_conflict,
        // An absent option is the shop's setting.
        ...(autoMap === null ? {} : { auto_map: autoMap }),
        ...(notify === null ? {} : { notify }),
      },
      {
        // If there are two operations, this page links to both.
        onSuccess: ({ id, job_id, update_job_id }) => {
          if (job_id === null || update_job_id === null) navigate(`/operations/${id}`)
        },
      },
    )
  return (
    <Titled title={t('Import')}>
      {start.error && <Problem error={start.error} what={t('The import could not be started')} />}
      {faulty ? (
        <FaultyRows check={check} valid={valid} onlyValid={onlyValid} onOnlyValid={setOnlyValid} />
      ) : (
        <ReadyRows check={check} valid={valid} />
      )}
      <Checkbox
        label={t('Map files without an SKU to products by name')}
        checked={autoMap ?? settings?.auto_map ?? true}
        onChange={setAutoMap}
      />
      <Checkbox
        label={t('Send an email when the import has ended')}
        checked={notify ?? settings?.email_on_complete ?? false}
        onChange={setNotify}
      />
      <StartButtons
        label={faulty ? t('Import the valid rows') : t('Start the import')}
        disabled={valid === 0 || (faulty && !onlyValid) || upload.recheck !== null}
        pending={start.isPending}
        onStart={begin}
      />
    </Titled>
  )
}

interface ButtonsProps {
  label: string
  disabled: boolean
  pending: boolean
  onStart: (preview: boolean) => void
}

const StartButtons = ({ label, disabled, pending, onStart }: ButtonsProps) => (
  <InlineStack gap="200">
    <Button variant="primary" disabled={disabled} loading={pending} onClick={() => onStart(false)}>
      {label}
    </Button>
    <Button disabled={disabled || pending} onClick={() => onStart(true)}>
      {t('Preview')}
    </Button>
    <Button url="/import/csv">{t('Choose another file')}</Button>
  </InlineStack>
)

interface FaultyProps {
  check: CsvCheck
  /** The number of rows without errors. */
  valid: number
  onlyValid: boolean
  onOnlyValid: (only: boolean) => void
}

const FaultyRows = ({ check, valid, onlyValid, onOnlyValid }: FaultyProps) => (
  <Banner
    tone="critical"
    title={t(
      '{errorRows, plural, one {# row has} other {# rows have}} errors. Correct them first',
      { errorRows: check.error_rows },
    )}
  >
    <BlockStack gap="200">
      <p>
        {valid > 0
          ? t('Correct them below, or import the valid rows only.')
          : t('Correct them below.')}
      </p>
      {valid > 0 && (
        <Checkbox
          label={t('Import the valid rows only: {valid, plural, one {# row} other {# rows}}', {
            valid,
          })}
          checked={onlyValid}
          onChange={onOnlyValid}
        />
      )}
    </BlockStack>
  </Banner>
)

const ReadyRows = ({ check, valid }: Pick<FaultyProps, 'check' | 'valid'>) => (
  <Banner tone="success" title={t('The file can be imported')}>
    <p>
      {[
        readyText(valid - check.ignored_rows, check.update_rows),
        trashText(check.delete_rows, check.restore_rows),
        warningsText(check.warnings),
      ]
        .filter(Boolean)
        .join(' ')}
    </p>
  </Banner>
)

const readyText = (valid: number, updates: number): string =>
  updates > 0
    ? t(
        '{valid, plural, one {# row is} other {# rows are}} ready, {updates, number} of them to change existing files.',
        { valid, updates },
      )
    : t('{valid, plural, one {# row is} other {# rows are}} ready.', { valid })

const trashText = (deleted: number, restored: number): string =>
  deleted + restored === 0
    ? ''
    : t('{deleted, number} move files to the trash, {restored, number} restore them.', {
        deleted,
        restored,
      })

const warningsText = (warnings: number): string =>
  warnings === 0
    ? ''
    : t('{warnings, plural, one {# warning does} other {# warnings do}} not prevent the import.', {
        warnings,
      })
