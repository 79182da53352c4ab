import { type Command, Option } from 'commander'
import type { Report } from '../finding/report'
import { minutesIn, optionTexts } from '../host/options'
import type { ClustersFlags } from './clusters'
import type { Io } from './io'
import { deliver, formats, type Shown, write } from './report-output'

/** The options that exclude each other. */
type Exclusive = Partial<Shown> & Pick<ClustersFlags, 'base'> & { readonly all?: boolean }

/** Adds the commands for jobs that check some clusters each. */
export function addShards(
  command: Command,
  io: Io,
  refuseTogether: (flags: Exclusive) => void,
  merged: (report: Report) => void,
): void {
  command
    .command('clusters')
    .description('List the clusters of the base and the head, for jobs that check one of them each.')
    .option('--repo <dir>', optionTexts.repo, '.')
    .option('--base <revision>', optionTexts.base)
    .option('--head <revision>', optionTexts.head)
    .option('--config <file>', optionTexts.config)
    .option('--all', 'List the clusters of the head alone.', false)
    .addOption(new Option('--format <format>', 'The format.').choices(['terminal', 'json']).default('terminal'))
    .option('--output <file>', 'Write the list to a file.')
    .option('--helm <program>', optionTexts.helm)
    .option('--kustomize <program>', optionTexts.kustomize)
    .option('--offline', optionTexts.offline, false)
    .option('--cache <dir>', optionTexts.cache)
    .option('--timeout <minutes>', optionTexts.timeout, (text) => minutesIn(text, '--timeout'))
    .action(async ({ output, ...flags }: ClustersFlags & { output?: string }) => {
      refuseTogether(flags)
      const { clusters } = await import('./clusters')
      write(await clusters(flags, io), output, io)
    })

  command
    .command('merge')
    .description('Make one report of the JSON reports of several runs with --cluster.')
    .argument('<reports...>', 'The reports of all clusters of one change, or folders of them.')
    .addOption(new Option('--format <format>', 'The format of the report.').choices(formats).default('terminal'))
    .option('--output <file>', 'Write the report to a file.')
    .option('--quiet', optionTexts.quiet, false)
    .option('--verbose', optionTexts.verbose, false)
    .action(async (files: string[], flags: Shown) => {
      refuseTogether(flags)
      const { mergeFiles } = await import('../host/merge')
      const report = mergeFiles(files, io.root)
      await deliver(report, flags, io)
      merged(report)
    })
}
