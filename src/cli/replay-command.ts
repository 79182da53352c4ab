import { type Command, Option } from 'commander'
import { failOnLevels, minutesIn, optionTexts } from '../host/options'
import type { ReplayFlags } from './replay'

/** Adds the command `replay`. */
export function addReplay(
  program: Command,
  action: (flags: ReplayFlags & { readonly output?: string }) => Promise<void>,
): void {
  program
    .command('replay')
    .description(
      'Judge the history of the default branch, each commit as of its own day, and show what would have been stopped.',
    )
    .option('--repo <dir>', optionTexts.repo, '.')
    .option('--branch <revision>', 'The branch, by its first parents; default: the default branch.')
    .option('--last <number>', 'The number of commits to judge, from the last one back; default: 200.')
    .option(
      '--since <day>',
      'Judge the commits since a day (2026-01-31), or of the last days, weeks, months or years (30d, 6w, 3m, 1y).',
    )
    .option('--config <file>', optionTexts.config)
    .option('--policy <name@range...>', optionTexts.policies, [])
    .addOption(
      new Option('--format <format>', 'The format; json: a line for each commit.')
        .choices(['terminal', 'json'])
        .default('terminal'),
    )
    .option('--output <file>', 'Write it to a file.')
    .addOption(
      new Option(
        '--fail-on <level>',
        'The lowest level that stops a commit; default: the value in the config, else error.',
      ).choices(failOnLevels),
    )
    .option('--helm <program>', optionTexts.helm)
    .option('--kustomize <program>', optionTexts.kustomize)
    .option('--offline', optionTexts.offline, false)
    .option(
      '--cache <dir>',
      'A folder outside of the checkout that keeps what is judged, with fetched charts and renderings: the same command goes on where it was interrupted.',
    )
    .option('--jobs <number>', 'How many commits are judged at a time; default: the number of processors.')
    .option('--timeout <minutes>', 'The time limit for each commit in minutes; default: 10.', (text) =>
      minutesIn(text, '--timeout'),
    )
    .action(action)
}
