// Help with common FTP problems: connections that fail, transfers that stall, files that do not
// appear in the library.
import { type Drop } from './calls.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'

export function HelpCard({ drop: { sftp_port, ftp_port, limits, path } }: { drop: Drop }) {
  const ports = { sftp: String(sftp_port), ftp: String(ftp_port) }
  return (
    <Titled title={t('If something does not work')}>
      <dl className="drop-help">
        <Answer
          problem={t('The connection fails')}
          steps={[
            t('Copy host, port and username again, and check that account and FTP upload are on.'),
            t(
              'Open port {sftp} for SFTP, or {ftp} for FTP, in the firewall of your network.',
              ports,
            ),
            t('Prefer SFTP: it uses one port. FTP needs further ports for its data.'),
            t('Look at “Last connections”: it names the reason of each refusal.'),
            t('After 10 failures within 10 minutes an address is blocked for 30 minutes.'),
          ]}
        />
        <Answer
          problem={t('A transfer stalls or times out')}
          steps={[
            t('Choose passive mode in the program: active mode is refused.'),
            t('Send smaller batches, with 2 to 4 transfers in parallel.'),
            t('Send it again: SFTP and FTP resume where the transfer stopped.'),
          ]}
        />
        <Answer
          problem={t('A file arrived and is not imported')}
          steps={[
            t('A file is imported when it has not changed for {seconds} seconds.', {
              seconds: limits.quiet_seconds,
            }),
            t('“Interrupted” means that the transfer broke off: send the file again.'),
            t('Look at “Failed”: each file has its reason, also as .error.txt in {path}failed/', {
              path,
            }),
          ]}
        />
        <Answer
          problem={t('A file has no product')}
          steps={[
            t('Put the SKU in front of the name, with an underscore: SHIRT-01_manual.pdf'),
            t('Or map it by hand in the list of files.'),
          ]}
        />
      </dl>
    </Titled>
  )
}

const Answer = ({ problem, steps }: { problem: string; steps: readonly string[] }) => (
  <div>
    <dt>{problem}</dt>
    <dd>
      <ul className="bullets">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
    </dd>
  </div>
)
