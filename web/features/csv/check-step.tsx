// The running check of the whole file, its results, and the start of the import.
import { type CsvCheck, type CsvUpload, useCheckCsv, useStopCheck } from './calls.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { Figures } from '../../shell/components/facts.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { Banner, Button, InlineStack, SmallPrint } from '../../shell/ui/index.ts'
import { checkStage } from './labels.ts'
import { numberText } from '../../shell/labels/size.ts'
import { Corrections } from './corrections.tsx'
import { StartCard } from './start-card.tsx'
import { t } from '../../shell/messages/t.ts'

interface Props {
  upload: CsvUpload
  onBack: () => void
}

export function CheckStep({ upload, onBack }: Props) {
  const { status, check, failure } = upload
  const again = useCheckCsv(upload.id)
  const back = <Button onClick={onBack}>{t('Change the columns')}</Button>
  if (status === 'checking' && check && !upload.recheck)
    return <Checking upload={upload} check={check} />
  if (failure !== null || !check)
    return (
      <>
        {again.error && <Problem error={again.error} what={t('The check could not be started')} />}
        <Banner
          tone="critical"
          title={t('The check did not finish')}
          action={{
            content: t('Check again'),
            loading: again.isPending,
            onAction: () =>
              again.mutate({
                probe: check?.probe ?? true,
                on_conflict: check?.on_conflict ?? 'error',
              }),
          }}
        >
          <p>{failure ?? t('Its results are lost.')}</p>
        </Banner>
        <InlineStack>{back}</InlineStack>
      </>
    )
  return (
    <>
      <Titled title={t('The check')} action={back}>
        <Figures
          rows={[
            [t('Rows'), numberText(check.rows)],
            [t('Valid rows'), numberText(Math.max(0, check.rows - check.error_rows))],
            [t('Rows with errors'), <Count key="errors" count={check.error_rows} />],
            [t('Errors'), <Count key="all" count={check.errors} />],
            [t('Warnings'), numberText(check.warnings)],
          ]}
        />
      </Titled>
      <StartCard upload={upload} check={check} />
      <Corrections upload={upload} />
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
      title={t('Checking the file')}
      help={t(
        'You can leave this page: the check continues in the background. Stop it to change the columns.',
      )}
      action={
        <Button loading={stop.isPending} onClick={() => stop.mutate()}>
          {t('Stop the check')}
        </Button>
      }
    >
      {stop.error && <Problem error={stop.error} what={t('The check could not be stopped')} />}
      <div className="progress">
        <div
          className="bar wide moving"
          role="progressbar"
          aria-label={t('Check')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={share === null ? undefined : Math.floor(share * 100)}
          aria-valuetext={text}
        >
          <span className="done" style={{ inlineSize: `${(share ?? 0) * 100}%` }} />
        </div>
        <SmallPrint>
          <span className="tabular">{text}</span>
        </SmallPrint>
      </div>
      <Figures
        rows={[
          [t('Errors'), <Count key="errors" count={check.errors} />],
          [t('Warnings'), numberText(check.warnings)],
        ]}
      />
    </Titled>
  )
}
