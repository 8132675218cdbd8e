// Starts the import of a checked file. Where rows have errors, importing the others is a choice
// that one makes.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { type CsvCheck, type CsvUpload, useStartCsv } from '../../../client/csv.ts'
import { useSettings } from '../../../client/settings.ts'
import { Problem } from '../../../components/problem.tsx'
import { Titled } from '../../../components/titled.tsx'
import { Banner, BlockStack, Button, Checkbox, InlineStack } from '../../../ui/index.ts'
import { countText, numberText } from '../../../labels/size.ts'

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
  const begin = () =>
    start.mutate(
      {
        only_valid: onlyValid,
        on_conflict: check.on_conflict,
        // Left as the shop has it, where nothing else was said.
        ...(autoMap === null ? {} : { auto_map: autoMap }),
        ...(notify === null ? {} : { notify }),
      },
      {
        // Where there are two to follow, this page names both.
        onSuccess: ({ id, job_id, update_job_id }) => {
          if (job_id === null || update_job_id === null) navigate(`/operations/${id}`)
        },
      },
    )
  return (
    <Titled title="Import">
      {start.error && <Problem error={start.error} what="The import could not be started" />}
      {faulty ? (
        <Banner
          tone="critical"
          title={`${countText(check.error_rows, 'row has', 'rows have')} errors that must be put right first`}
        >
          <BlockStack gap="200">
            <p>
              Correct the file and choose it again
              {valid > 0 ? ', or import the valid rows only and the others later.' : '.'}
            </p>
            {valid > 0 && (
              <Checkbox
                label={`Import the valid rows only: ${countText(valid, 'row', 'rows')}`}
                checked={onlyValid}
                onChange={setOnlyValid}
              />
            )}
          </BlockStack>
        </Banner>
      ) : (
        <Banner tone="success" title="The file can be imported">
          <p>
            {countText(valid, 'row is', 'rows are')} ready
            {check.update_rows > 0 &&
              `, ${numberText(check.update_rows)} of them to change files that are here already`}
            .
            {check.warnings > 0 &&
              ` ${countText(check.warnings, 'warning does', 'warnings do')} not stand in the way.`}
          </p>
        </Banner>
      )}
      <Checkbox
        label="Attach files to products by their names where no SKU is given"
        checked={autoMap ?? settings?.auto_map ?? true}
        onChange={setAutoMap}
      />
      <Checkbox
        label="Send an email when the import has ended"
        checked={notify ?? settings?.email_on_complete ?? false}
        onChange={setNotify}
      />
      <InlineStack gap="200">
        <Button
          variant="primary"
          disabled={valid === 0 || (faulty && !onlyValid)}
          loading={start.isPending}
          onClick={begin}
        >
          {faulty ? 'Import the valid rows' : 'Start the import'}
        </Button>
        <Button url="/import/csv">Choose another file</Button>
      </InlineStack>
    </Titled>
  )
}
