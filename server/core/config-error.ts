// The error of a start with a wrong configuration.

/** Missing or wrong settings. Every problem is named, with what to write instead. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(
      `The configuration cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}
