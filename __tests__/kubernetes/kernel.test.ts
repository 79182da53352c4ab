import { expect, test } from '@jest/globals'
import { kernelSatisfies, parseKernel } from '../../src/kubernetes/versions/kernel'

test.each([
  ['3.10.0-1160.21.1.el7.x86_64', [3, 10, 0, 1160, 21, 1], 'rhel7'],
  ['4.18.0-372.9.1.el8.x86_64', [4, 18, 0, 372, 9, 1], 'rhel8'],
  ['4.18.0-553.8.1.el8_10.x86_64', [4, 18, 0, 553, 8, 1], 'rhel8'],
  ['5.14.0-427.13.1.el9_4.aarch64', [5, 14, 0, 427, 13, 1], 'rhel9'],
  // ELRepo builds the upstream kernel, for which Red Hat backports nothing.
  ['5.18.1-1.el7.elrepo.x86_64', [5, 18, 1], undefined],
  ['5.4.271-1.el7.elrepo.x86_64', [5, 4, 271], undefined],
  ['5.4.17-2136.300.7.el8uek.x86_64', [5, 4, 17], 'uek8'],
  ['5.15.0-105-generic', [5, 15, 0], 'ubuntu'],
  ['5.15.0-1051-aws', [5, 15, 0], 'ubuntu'],
  ['5.15.0-1041-azure', [5, 15, 0], 'ubuntu'],
  ['5.15.0-1049-azure-fde', [5, 15, 0], 'ubuntu'],
  ['5.15.0-1048-gke', [5, 15, 0], 'ubuntu'],
  ['6.1.0-13-cloud-amd64', [6, 1, 0], 'debian'],
  ['5.10.0-30-amd64', [5, 10, 0], 'debian'],
  ['6.12.43+deb13-amd64', [6, 12, 43], 'debian13'],
  ['4.14.355-275.570.amzn2.x86_64', [4, 14, 355], 'amzn2'],
  ['6.1.115-126.197.amzn2023.aarch64', [6, 1, 115], 'amzn2023'],
  ['6.5.11-300.fc39.x86_64', [6, 5, 11], 'fedora39'],
  ['5.14.21-150400.24.33-default', [5, 14, 21], 'suse'],
  ['5.15.158.2-1.cm2', [5, 15, 158], 'azurelinux'],
  ['6.6.57.1-2.azl3', [6, 6, 57], 'azurelinux'],
  ['6.1.66+', [6, 1, 66], 'cos'],
  ['5.10.0+', [5, 10, 0], 'cos'],
  ['5.15.148', [5, 15, 148], undefined],
  ['6.1.115-talos', [6, 1, 115], 'talos'],
  ['6.6.54-flatcar', [6, 6, 54], 'flatcar'],
  ['5.15.153.1-microsoft-standard-WSL2', [5, 15, 153], 'wsl'],
  ['5.10.134-16.3.al8.x86_64', [5, 10, 134], 'alibaba'],
  ['4.19.90-2107.6.0.0192.oe1.x86_64', [4, 19, 90], 'openeuler'],
  ['6.6.87-linuxkit', [6, 6, 87], 'linuxkit'],
  ['6.1', [6, 1, 0], undefined],
] as const)('%s is read', (text, numbers, distro) => {
  expect(parseKernel(text)).toEqual({ numbers: [...numbers], distro })
})

test('a text that does not start with a version is no kernel', () => {
  expect(parseKernel('Linux')).toBeUndefined()
  expect(parseKernel('')).toBeUndefined()
})

test.each([
  ['3.10.0-1160.21.1.el7.x86_64', '>=4.1', false],
  ['4.1.0', '>=4.1', true],
  ['4.0.99', '>=4.1', false],
  ['4.18.0-193.el8.x86_64', '>=4.18.0-193', true],
  ['4.18.0-193.1.2.el8.x86_64', '>=4.18.0-193', true],
  ['4.18.0-147.el8.x86_64', '>=4.18.0-193', false],
  ['4.18.0-80.el8.x86_64', '<4.18.0-193', true],
  ['4.19.56', '>=4.19.57', false],
  ['5.15.0-105-generic', '>=5.10 <5.16', true],
  ['5.4.0', '<5.4 || >=6.0', false],
  ['6.1.66+', '<5.4 || >=6.0', true],
  ['10.0.0', '>=9.5', true],
])('%s in %s: %s', (text, range, expected) => {
  const kernel = parseKernel(text)
  expect(kernel && kernelSatisfies(kernel, range)).toBe(expected)
})
