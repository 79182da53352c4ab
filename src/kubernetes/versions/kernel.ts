/** A Linux kernel, as `uname -r` prints it. */
export interface Kernel {
  /** `3.10.0`, and for Red Hat's the build behind it: `[3, 10, 0, 1160, 21, 1]`. */
  readonly numbers: readonly number[]
  /**
   * `rhel7`, `ubuntu`, `amzn2`, `talos`: the vendor whose patches the kernel has in addition to its version. Undefined
   * for a plain build, and for ELRepo's, which rebuilds the upstream kernel for Red Hat's systems.
   */
  readonly distro: string | undefined
}

/**
 * The meaning of the string's suffix, the first that matches. `5.18.1-1.el7.elrepo` is upstream's 5.18.1, and Oracle's
 * own kernel is not Red Hat's, so both come before `el7`.
 */
const distros: readonly (readonly [RegExp, (match: RegExpMatchArray) => string | undefined])[] = [
  [/\.elrepo\b/, () => undefined],
  [/\.el(\d+)uek\b/, (match) => `uek${match[1]}`],
  [/\.el(\d+)/, (match) => `rhel${match[1]}`],
  [/\.(amzn\d+)\b/, (match) => match[1]],
  [/\.fc(\d+)\b/, (match) => `fedora${match[1]}`],
  [/\+deb(\d+)/, (match) => `debian${match[1]}`],
  [/\.(?:azl|cm)\d+\b/, () => 'azurelinux'],
  [/\.oe\d/, () => 'openeuler'],
  [/\.al(\d+)\b/, () => 'alibaba'],
  [/-(?:azure|aws|gcp|gke|gkeop|oracle|ibm|kvm|generic|lowlatency|raspi|nvidia)(?:-\w+)?$/, () => 'ubuntu'],
  [/-(?:cloud-)?(?:amd64|arm64|686-pae)$/, () => 'debian'],
  [/-default$/, () => 'suse'],
  [/-(talos|flatcar|coreos|linuxkit)\b/, (match) => match[1]],
  [/-microsoft-standard/, () => 'wsl'],
  // Bottlerocket's kernels have plain names; those of Container-Optimized OS end with a plus.
  [/^\+$/, () => 'cos'],
]

/**
 * Reads `3.10.0-1160.21.1.el7.x86_64`, `5.15.0-1051-aws`, `6.1.115-talos`, `5.10.0+`; none where no version starts it.
 */
export function parseKernel(text: string): Kernel | undefined {
  const match = text.trim().match(/^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(.*)$/)
  if (!match) return undefined
  const [, major = '', minor = '', patch = '0', tail = ''] = match
  const found = distros.map(([pattern, name]) => [tail.match(pattern), name] as const).find(([one]) => one)
  const distro = found?.[0] ? found[1](found[0]) : undefined
  // Red Hat's kernels keep their version for years, and the build number shows their patches.
  const build = distro?.startsWith('rhel') ? (tail.match(/^-(\d+(?:\.\d+)*)/)?.[1] ?? '') : ''
  return { numbers: [major, minor, patch, ...build.split('.')].filter((part) => part !== '').map(Number), distro }
}

/** Whether a kernel is in a range: `>=4.18.0-193`, `>=4.1 <5.9`, `<5.14 || >=6`. */
export function kernelSatisfies({ numbers }: Kernel, range: string): boolean {
  return range.split('||').some((part) =>
    part
      .trim()
      .split(/\s+/)
      .every((bound) => meets(numbers, bound)),
  )
}

/** One bound of a range, which may have a build: `>=4.18.0-193`. */
export const kernelBound = /^(>=|<)(\d+\.\d+(?:\.\d+)?(?:-\d+(?:\.\d+)*)?)$/

function meets(numbers: readonly number[], bound: string): boolean {
  const [, operator, version = ''] = bound.match(kernelBound) ?? []
  const limit = version.split(/[.-]/).map(Number)
  const apart = limit.map((number, index) => (numbers[index] ?? 0) - number).find((difference) => difference !== 0) ?? 0
  return operator === '<' ? apart < 0 : apart >= 0
}
