import { Command, CommanderError, Option } from 'commander'
import { nearestTo } from '../closest'
import { GuardError } from '../errors'
import type { Report } from '../finding/report'
import { configPage, rulesOfGate } from '../host/gate-rules'
import { failOnLevels, minutesIn, type Options, optionTexts } from '../host/options'
import { ruleIds, rulePage, versionIn } from '../host/package'
import { alternatives } from '../listing'
import type { FailOn } from '../policy/schema'
import type { CoverageFlags } from './coverage'
import type { FixMode } from './fix'
import type { InitFlags } from './init'
import type { Io } from './io'
import { addReplay } from './replay-command'
import { deliver, formats, paintFor, type Shown, statusOf, write } from './report-output'
import { addShards } from './shard-commands'

interface CheckFlags extends Shown {
  repo: string
  base?: string
  head?: string
  config?: string
  policy: string[]
  all: boolean
  failOn?: FailOn
  helm?: string
  kustomize?: string
  offline: boolean
  cache?: string
  today?: string
  timeout?: number
  timings: boolean
  cluster?: string[]
  fix?: FixMode
}

interface InventoryFlags {
  context?: string
  kubectl: string
  takenAt?: string
  output?: string
}

/** The command line. Answers the exit status: 0 pass, 1 findings, 2 usage, config or policy, 3 source or internal. */
export async function program(argv: readonly string[], io: Io): Promise<number> {
  let status = 0
  const command = new Command('ingress-guard')
    .description("Stops the Kubernetes changes that take a cluster's ingress down, before they merge.")
    .version(versionIn(io.root))
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .exitOverride()
    .showHelpAfterError(helpOf())

  command
    .command('check', { isDefault: false })
    .description('Check a change, or one whole revision with --all.')
    .option('--repo <dir>', optionTexts.repo, '.')
    .option('--base <revision>', optionTexts.base)
    .option('--head <revision>', optionTexts.head)
    .option('--config <file>', optionTexts.config)
    .option('--policy <name@range...>', optionTexts.policies, [])
    .option('--all', optionTexts.all, false)
    .option('--cluster <name...>', optionTexts.clusters)
    .addOption(new Option('--format <format>', 'The format of the report.').choices(formats).default('terminal'))
    .option('--output <file>', 'Write the report to a file.')
    .addOption(
      new Option(
        '--fail-on <level>',
        'The lowest level that fails the run; default: the value in the config, else error.',
      ).choices(failOnLevels),
    )
    .option('--helm <program>', optionTexts.helm)
    .option('--kustomize <program>', optionTexts.kustomize)
    .option('--offline', optionTexts.offline, false)
    .option('--cache <dir>', optionTexts.cache)
    .option('--today <date>', optionTexts.today)
    .option('--timeout <minutes>', optionTexts.timeout, (text) => minutesIn(text, '--timeout'))
    .option('--timings', `${optionTexts.timings} Written to the standard error, and to the JSON report.`, false)
    .addOption(
      new Option(
        '--fix [how]',
        'Apply verified fixes to the working tree, show the diff, and check again; --fix=dry only shows it.',
      ).choices(['dry']),
    )
    .option('--quiet', optionTexts.quiet, false)
    .option('--verbose', optionTexts.verbose, false)
    .action(async (flags: CheckFlags) => {
      const { policy, cluster, format: _, output: __, quiet: ___, verbose: ____, fix, ...same } = flags
      refuseTogether(flags)
      const options = { ...same, policies: policy, ...(cluster ? { clusters: cluster } : {}) }
      const run = io.run ?? (await import('../host/run')).run
      const runOnce = (given: Options) => run(given, { root: io.root })
      const report = fix ? await fixed(fix, options, runOnce, flags, io) : await runOnce(options)
      await deliver(report, flags, io)
      if (report.timings) {
        const { timingLines } = await import('../report/timing-lines')
        for (const line of timingLines(report.timings)) io.stderr.write(`ingress-guard: ${line}\n`)
      }
      status = statusOf(report)
    })

  addShards(command, io, refuseTogether, (report) => {
    status = statusOf(report)
  })

  command
    .command('coverage')
    .description('Show how much of a repository the gate sees, by folder and by cause. Runs no rule.')
    .option('--repo <dir>', optionTexts.repo, '.')
    .option('--head <revision>', 'The revision or folder to look at; default: the working tree.')
    .option('--config <file>', optionTexts.config)
    .addOption(new Option('--format <format>', 'The format.').choices(['terminal', 'json']).default('terminal'))
    .option('--output <file>', 'Write it to a file.')
    .option('--helm <program>', optionTexts.helm)
    .option('--kustomize <program>', optionTexts.kustomize)
    .option('--timeout <minutes>', optionTexts.timeout, (text) => minutesIn(text, '--timeout'))
    .action(async ({ output, ...flags }: CoverageFlags & { output?: string }) => {
      const { coverage } = await import('./coverage')
      write(await coverage(flags, io, paintFor(io)), output, io)
    })

  command
    .command('init')
    .description('Show what the gate sees of a repository, and write its workflow and config.')
    .option('--repo <dir>', optionTexts.repo, '.')
    .option('--dry-run', 'Write nothing: print the files to the standard output.', false)
    .option('--force', 'Replace files that exist.', false)
    .option('--helm <program>', optionTexts.helm)
    .option('--kustomize <program>', optionTexts.kustomize)
    .option('--timeout <minutes>', optionTexts.timeout, (text) => minutesIn(text, '--timeout'))
    .action(async (flags: InitFlags) => {
      const { init } = await import('./init')
      await init(flags, io, paintFor(io))
    })

  addReplay(command, async ({ output, ...flags }) => {
    const { replayHistory } = await import('./replay')
    const replayed = await replayHistory(flags, io, paintFor(io))
    write(replayed.text, output, io)
    status = replayed.status
  })

  command
    .command('rules')
    .description('List the rules, with the policy version that added each of them; those of the gate itself have none.')
    .addOption(new Option('--format <format>', 'The format.').choices(['terminal', 'json']).default('terminal'))
    .action(async ({ format }: { format: 'terminal' | 'json' }) => {
      if (format === 'json') {
        const { ruleList } = await import('../host/rule-list')
        io.stdout.write(`${JSON.stringify(ruleList(io.root), null, 2)}\n`)
        return
      }
      const { rules } = await import('../rules/index')
      const all = [...rules, ...rulesOfGate.map((one) => ({ ...one, since: 'gate' }))]
      const [width, second] = [
        Math.max(...all.map(({ id }) => id.length)),
        Math.max(...all.map(({ since }) => since.length)),
      ]
      for (const { id, since, summary } of all)
        io.stdout.write(`${id.padEnd(width)}  ${since.padEnd(second)}  ${summary}\n`)
    })

  command
    .command('explain <rule>')
    .description('Show the documentation of a rule.')
    .action(async (id: string) => {
      const ids = [...ruleIds(io.root), ...rulesOfGate.map((one) => one.id).filter((one) => configPage(one))]
      const rule = ids.find((one) => one === id || one.endsWith(`/${id}`))
      if (!rule && ids.some((one) => one.startsWith(`${id}/`)))
        throw new GuardError(
          'usage',
          `${id} is a policy. Name one of its rules, such as ${ids.find((one) => one.startsWith(`${id}/`))}; \`ingress-guard rules\` lists all.`,
        )
      if (!rule) {
        const near = alternatives(nearestTo(id, ids))
        const meant = near === '' ? '' : ` Did you mean ${near}?`
        throw new GuardError(
          'usage',
          `The rule ${JSON.stringify(id)} does not exist.${meant} \`ingress-guard rules\` lists all.`,
        )
      }
      const { pageFor } = await import('./page')
      io.stdout.write(pageFor(configPage(rule) ?? rulePage(io.root, rule)))
    })

  command
    .command('inventory')
    .description('Record the state of a cluster: nodes, locks, and names of Pods, Services and IngressClasses.')
    .argument('[files...]', 'Files with the output of kubectl get … -o json; - reads the standard input.')
    .option('--context <name>', 'Read the running cluster of this context of your kubeconfig.')
    .option('--kubectl <program>', 'The kubectl to use.', 'kubectl')
    .option(
      '--taken-at <time>',
      'When the cluster was observed, as RFC 3339; default: now, or for files the newest timestamp in them.',
    )
    .option('--output <file>', 'Write the inventory to a file.')
    .action(async (files: string[], flags: InventoryFlags) => {
      const { inventory } = await import('./inventory')
      write(await inventory({ files, ...flags }), flags.output, io)
    })

  command
    .command('demo')
    .description('Replay the outages in temporary Git repositories and show the reports.')
    .action(async () => {
      const { demo } = await import('./demo')
      status = await demo(io, paintFor(io))
    })

  for (const one of command.commands) one.showHelpAfterError(helpOf(one.name()))
  try {
    await command.parseAsync(argv, { from: 'user' })
    return status
  } catch (error) {
    return await explain(error, io)
  }
}

/** The hint after an error of usage, for a command or for all. */
function helpOf(name = ''): string {
  return `(run ingress-guard ${name}${name && ' '}--help for usage)`
}

async function fixed(
  mode: FixMode,
  options: Options,
  run: (options: Options) => Promise<Report>,
  { format, output }: CheckFlags,
  io: Io,
): Promise<Report> {
  const { checkAndFix } = await import('./fix')
  const isForPeople = format === 'terminal' && output === undefined
  return checkAndFix(mode, options, run, { io, paint: isForPeople ? paintFor(io) : undefined })
}

/** Refuses options that exclude each other. */
function refuseTogether({ all, base, head, fix, quiet, verbose, cluster }: Partial<CheckFlags>): void {
  if (fix && cluster)
    throw new GuardError(
      'usage',
      '--fix edits files that several clusters may share, so it cannot be used with --cluster. Leave out one of them.',
    )
  if (fix && head !== undefined)
    throw new GuardError(
      'usage',
      '--fix changes the working tree, so it cannot be used with --head. Leave out one of them.',
    )
  if (all && base !== undefined)
    throw new GuardError(
      'usage',
      '--all checks one whole revision, so --base has nothing to be compared with. Leave out --all to check a change, or --base to check all.',
    )
  if (quiet && verbose)
    throw new GuardError('usage', '--quiet and --verbose exclude each other. Leave out one of them.')
}

async function explain(error: unknown, io: Io): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const known = error instanceof GuardError ? error : undefined
  const sentence = known
    ? known.sentence
    : `${error instanceof Error ? error.message : String(error)} (a bug in ingress-guard: please report it)`
  const { visible } = await import('../report/words/visible')
  io.stderr.write(`ingress-guard could not run: ${visible(sentence)}\n`)
  if (process.env.INGRESS_GUARD_DEBUG && error instanceof Error)
    io.stderr.write(`${error.stack}\n${known?.cause ?? ''}\n`)
  return known?.exitStatus ?? 3
}
