// The check of the whole file while it runs, what it found, and the start of the import.
import { type CsvCheck, type CsvUpload, useCheckCsv, useStopCheck } from '../../../client/csv.ts'
import { Problem } from '../../../components/problem.tsx'
import { Figures } from '../../../components/facts.tsx'
import { Titled } from '../../../components/titled.tsx'
import { Banner, Button, InlineStack, Text } from '../../../ui/index.ts'
import { checkStage } from '../../../labels/csv.ts'
import { numberText } from '../../../labels/size.ts'
import { Problems } from './problems.tsx'
import { StartCard } from './start-card.tsx'

interface Props {
  upload: CsvUpload
  onBack: () => void
}

export function CheckStep({ upload, onBack }: Props) {
  const { status, check, failure } = upload
  const again = useCheckCsv(upload.id)
  const back = <Button onClick={onBack}>Change the columns</Button>
  if (status === 'checking' && check) return <Checking upload={upload} check={check} />
  if (failure !== null || !check)
    return (
      <>
        {again.error && <Problem error={again.error} what="The check could not be started" />}
        <Banner
          tone="critical"
          title="The check did not come to its end"
          action={{
            content: 'Check again',
            loading: again.isPending,
            onAction: () =>
              again.mutate({
                probe: check?.probe ?? true,
                on_conflict: check?.on_conflict ?? 'error',
              }),
          }}
        >
          <p>{failure ?? 'What it had found is gone.'}</p>
        </Banner>
        <InlineStack>{back}</InlineStack>
      </>
    )
  return (
    <>
      <Titled title="The check" action={back}>
        <Figures
          rows={[
            ['Rows', numberText(check.rows)],
            ['Valid rows', numberText(Math.max(0, check.rows - check.error_rows))],
            ['Rows with errors', <Count key="errors" count={check.error_rows} />],
            ['Errors', <Count key="all" count={check.errors} />],
            ['Warnings', numberText(check.warnings)],
          ]}
        />
      </Titled>
      <StartCard upload={upload} check={check} />
      {check.errors + check.warnings > 0 && <Problems upload={upload} check={check} />}
    </>
  )
}

const Count = ({ count }: { count: number }) => (
  <span className={count > 0 ? 'critical' : undefined}>{numberText(count)}</span>
)

function Checking({ upload: { id, rows }, check }: { upload: CsvUpload; check: CsvCheck }) {
  const { text, share } = checkStage(check, rows)
  const stop = useStopCheck(id)
  return (
    <Titled
      title="Checking the file"
      help="You can leave this page: the check goes on. When it is stopped, you can change the columns."
      action={
        <Button loading={stop.isPending} onClick={() => stop.mutate()}>
          Stop the check
        </Button>
      }
    >
      {stop.error && <Problem error={stop.error} what="The check could not be stopped" />}
      <div className="progress">
        <div
          className="bar wide moving"
          role="progressbar"
          aria-label="Check"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={share === null ? undefined : Math.floor(share * 100)}
          aria-valuetext={text}
        >
          <span className="done" style={{ inlineSize: `${(share ?? 0) * 100}%` }} />
        </div>
        <Text as="span" variant="bodySm" tone="subdued">
          <span className="tabular">{text}</span>
        </Text>
      </div>
      <Figures
        rows={[
          ['Errors', <Count key="errors" count={check.errors} />],
          ['Warnings', numberText(check.warnings)],
        ]}
      />
    </Titled>
  )
}
